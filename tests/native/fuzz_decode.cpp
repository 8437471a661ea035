// Damages block groups at random and decodes them: CorruptBlocks or any bytes are fine, a sanitizer's report is not.
// Usage: fuzz_decode N_MUTATIONS SEED
#include <algorithm>
#include <cstring>
#include <string>

#include "block/decode.hpp"
#include "block/encode.hpp"
#include "block/error.hpp"
#include "check.hpp"

namespace weightzip::test {
namespace {

struct Case {
    std::vector<std::uint8_t> raw;
    std::vector<std::uint8_t> predecessor;  // empty if the group does not lean on one
    std::vector<std::uint8_t> companion;    // empty if the group does not lean on one
    std::vector<std::uint8_t> group;
};

// Elements whose top bytes are skewed, so that tables, escapes and contexts come to be.
std::vector<std::uint8_t> skewed_elements(Random& random, std::size_t n_elements, unsigned element_log2) {
    std::vector<std::uint8_t> bytes = random_bytes(random, n_elements << element_log2);
    const std::size_t width = std::size_t{1} << element_log2;
    for (std::size_t i = width - 1; i < bytes.size(); i += width) {
        const auto level = static_cast<std::uint8_t>(std::min<std::uint64_t>(6, __builtin_ctzll(random() | 64)));
        bytes[i] = below(random, 400) == 0 ? bytes[i] : static_cast<std::uint8_t>(60 - level);
    }
    return bytes;
}

// Sections of all shapes that tile n_elements elements.
std::vector<Section> draw_sections(Random& random, std::size_t n_elements) {
    std::vector<Section> sections;
    while (n_elements > 0) {
        const bool is_last = sections.size() == 6 || below(random, 3) == 0;
        const std::size_t n = is_last ? n_elements : 1 + below(random, n_elements);
        const std::size_t n_columns = below(random, 4) == 0 ? 0 : 1 + below(random, std::min<std::size_t>(n, 200));
        const std::size_t first_column = n_columns == 0 ? 0 : below(random, n_columns);
        sections.push_back({static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n_columns),
                            static_cast<std::uint32_t>(first_column)});
        n_elements -= n;
    }
    return sections;
}

Case make_case(Random& random, std::size_t n_elements) {
    constexpr std::uint8_t mantissa_bits[] = {3, 7, 23, 52};
    Elements elements;
    elements.n_elements = n_elements;
    elements.element_log2 = static_cast<std::uint8_t>(below(random, 4));
    elements.transform = static_cast<std::uint8_t>(below(random, 4));
    if (elements.transform >= kFirstDifference) elements.predictor = static_cast<Predictor>(1 + below(random, 2));
    elements.context_input = static_cast<ContextInput>(below(random, 4));
    Case result;
    result.raw = skewed_elements(random, n_elements, elements.element_log2);
    result.predecessor = result.raw;
    for (std::size_t i = 0; i < result.predecessor.size(); i += 1 + below(random, 4)) result.predecessor[i] ^= 3;
    elements.raw = result.raw.data();
    elements.predecessor = result.predecessor.data();
    if (elements.context_input == ContextInput::companion) {
        elements.companion_log2 = static_cast<std::uint8_t>(below(random, 4));
        result.companion = skewed_elements(random, n_elements, elements.companion_log2);
        elements.companion = result.companion.data();
    }
    std::vector<Section> sections;
    if (elements.has_factors()) {
        sections = draw_sections(random, n_elements);
        elements.sections = sections;
        elements.mantissa_bits = mantissa_bits[elements.element_log2];
        const bool leans = elements.predictor == Predictor::predecessor || elements.context_input == ContextInput::predecessor;
        if (!leans && below(random, 2) == 0) elements.predecessor = nullptr;
    }
    const unsigned max_contexts = elements.context_input == ContextInput::none ? 1 : 8;
    const auto max_low_contexts = static_cast<unsigned>(8 * below(random, 2));
    const auto key_shift = static_cast<std::uint8_t>((8u << elements.context_log2()) - 8);
    const auto allocate = [&](std::size_t n_bytes) {
        result.group.resize(n_bytes);
        return result.group.data();
    };
    result.group.resize(encode_group(elements, {max_contexts, max_low_contexts, key_shift, 1, &best_kernels()}, allocate));
    std::span<const std::uint8_t> bytes = result.group;
    const Recipe recipe = read_recipe(bytes, result.raw.size());
    if (!recipe.needs_predecessor()) result.predecessor.clear();
    if (!recipe.needs_companion()) result.companion.clear();
    return result;
}

void damage(Random& random, std::vector<std::uint8_t>& group) {
    const std::size_t n_changes = 1 + below(random, 3);
    for (std::size_t c = 0; c < n_changes && !group.empty(); ++c) {
        // Half of the changes fall into the first bytes: recipe, tables, block table.
        const std::size_t reach = below(random, 2) == 0 ? std::min<std::size_t>(group.size(), 96) : group.size();
        const std::size_t place = below(random, reach);
        switch (below(random, 5)) {
            case 0: group[place] ^= static_cast<std::uint8_t>(1u << below(random, 8)); break;
            case 1: group[place] = static_cast<std::uint8_t>(random()); break;
            case 2: group[place] = below(random, 2) == 0 ? 0 : 0xff; break;
            case 3: group.resize(below(random, group.size() + 1)); break;
            default: group.insert(group.begin() + static_cast<std::ptrdiff_t>(place), 2, 0); break;
        }
    }
}

// Returns whether the group was decoded, into out.
bool try_decode(const Exact& group, const GroupInputs& inputs, Exact& out, const KernelSet& kernels) {
    try {
        decode_group({group.data.get(), group.size}, inputs, {out.data.get(), out.size}, 1, kernels);
        return true;
    } catch (const CorruptBlocks&) {
        return false;
    }
}

void run_case(Random& random, std::size_t n_elements, std::size_t n_mutations, std::size_t& n_decoded) {
    const Case whole = make_case(random, n_elements);
    const Exact predecessor(whole.predecessor);
    const Exact companion(whole.companion);
    const GroupInputs inputs{whole.predecessor.empty() ? nullptr : predecessor.data.get(),
                             {companion.data.get(), companion.size}};
    Exact out(whole.raw.size());
    Exact other_out(whole.raw.size());
    check(try_decode(Exact(whole.group), inputs, out, best_kernels()), "an undamaged group decodes");
    check(std::memcmp(out.data.get(), whole.raw.data(), out.size) == 0, "an undamaged group gives its bytes");
    for (std::size_t m = 0; m < n_mutations; ++m) {
        std::vector<std::uint8_t> group = whole.group;
        damage(random, group);
        const Exact exact(group);
        const bool decoded = try_decode(exact, inputs, out, *list_kernels().back());
        for (const KernelSet* kernels : list_kernels()) {
            check(try_decode(exact, inputs, other_out, *kernels) == decoded, "all kernels agree");
            check(!decoded || std::memcmp(out.data.get(), other_out.data.get(), out.size) == 0, "and on the bytes");
        }
        n_decoded += decoded ? 1 : 0;
    }
}

}  // namespace
}  // namespace weightzip::test

int main(int argc, char** argv) {
    using namespace weightzip::test;
    check(argc == 3, "usage: fuzz_decode N_MUTATIONS SEED");
    const std::size_t n_mutations = std::stoul(argv[1]);
    Random random(std::stoul(argv[2]));
    constexpr std::size_t per_case = 200;
    std::size_t n_decoded = 0;
    for (std::size_t done = 0; done < n_mutations; done += per_case) {
        run_case(random, 1 + below(random, 1500), per_case, n_decoded);
    }
    // Blocks enough for the kernels to decode several in lockstep, the last one short.
    const std::size_t many_blocks = (5u << weightzip::kMaxBlockLog2) + 2081;
    for (std::size_t done = 0; done < n_mutations; done += 500 * per_case) {
        for (int c = 0; c < 8; ++c) run_case(random, many_blocks, 10, n_decoded);
    }
    std::printf("%zu mutations, %zu of them decoded\n", n_mutations, n_decoded);
    return 0;
}
