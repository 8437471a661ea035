// The kernels one by one: vector against scalar on every length up to 257, and the encoder's division on every
// frequency.
#include <cstring>

#include "block/encode_table.hpp"
#include "block/recipe.hpp"
#include "check.hpp"
#include "cpu/dispatch.hpp"
#include "kernels/histogram.hpp"

namespace weightzip::test {
namespace {

constexpr std::size_t kMaxElements = 257;

bool equal(const Exact& a, const Exact& b) { return std::memcmp(a.data.get(), b.data.get(), a.size) == 0; }

// The reciprocal gives the quotient of every state that renormalisation leaves, at all places where it changes.
void check_division() {
    for (unsigned prob_bits = kMinProbBits; prob_bits <= kMaxProbBits; ++prob_bits) {
        for (std::uint32_t f = 1; f < 1u << prob_bits; ++f) {
            const EncodeEntry entry = make_encode_entry(f, 0, prob_bits);
            check(entry.frequency() == f, "an entry keeps its frequency");
            const std::uint32_t top = 1u << (32 - prob_bits);
            const auto holds = [&](std::uint32_t x) {
                const std::uint64_t product = std::uint64_t{x + entry.increment()} * entry.reciprocal;
                return static_cast<std::uint32_t>(product >> 32 >> entry.shift()) == x / f;
            };
            // Quotients near the top, where errors are largest, and a spread of others.
            for (std::uint32_t q = top - 64; q < top; ++q) check(holds(q * f) && holds(q * f + f - 1), "quotient");
            for (std::uint32_t q = 1; q < top; q += top / 61) check(holds(q * f) && holds(q * f - 1), "quotient");
        }
    }
}

// Clears the zero bits of each element.
void clear_bits(const Exact& raw, std::size_t width, unsigned zero_bits) {
    for (std::size_t at = 0; at < raw.size; at += width) {
        std::uint64_t element = 0;
        std::memcpy(&element, raw.data.get() + at, width);
        element = element >> zero_bits << zero_bits;
        std::memcpy(raw.data.get() + at, &element, width);
    }
}

void check_elementwise(const KernelSet& kernels, Random& random, unsigned element_log2, unsigned transform,
                       unsigned zero_bits, std::size_t n) {
    const std::size_t width = std::size_t{1} << element_log2;
    const Exact raw(random_bytes(random, n * width));
    clear_bits(raw, width, zero_bits);
    const Exact predecessor(random_bytes(random, n * width));
    const Exact expected(n * width);
    const Exact planes(n * width);
    const Exact back(n * width);
    std::uint8_t* expected_at[kMaxPlanes];
    std::uint8_t* planes_at[kMaxPlanes];
    for (std::size_t k = 0; k < width; ++k) {
        expected_at[k] = expected.data.get() + k * n;
        planes_at[k] = planes.data.get() + k * n;
    }
    const ElementwiseKernels& scalar = *list_kernels().back()->elementwise;
    const SplitKernel expected_split = scalar.split[element_log2][transform];
    const SplitKernel split = kernels.elementwise->split[element_log2][transform];
    expected_split(raw.data.get(), predecessor.data.get(), zero_bits, expected_at, n);
    split(raw.data.get(), predecessor.data.get(), zero_bits, planes_at, n);
    check(equal(planes, expected), "split");
    const JoinKernel join = kernels.elementwise->join[element_log2][transform];
    join(planes_at, predecessor.data.get(), zero_bits, back.data.get(), n);
    check(equal(back, raw), "join");
}

void check_keys(const KernelSet& kernels, Random& random, unsigned element_log2, std::size_t n) {
    const Exact predecessor(random_bytes(random, n << element_log2));
    const Exact expected(n);
    const Exact keys(n);
    const KeyKernel scalar = list_kernels().back()->elementwise->keys[element_log2];
    for (unsigned key_shift = 0; key_shift < 64; key_shift += 7) {
        const auto key_base = static_cast<std::uint32_t>(random() % 3 == 0 ? 0 : random() >> (32 + key_shift % 32));
        scalar(predecessor.data.get(), expected.data.get(), n, key_shift, key_base);
        kernels.elementwise->keys[element_log2](predecessor.data.get(), keys.data.get(), n, key_shift, key_base);
        check(equal(keys, expected), "keys");
    }
}

void check_bytes(const KernelSet& kernels, Random& random, std::size_t n) {
    const std::vector<std::uint8_t> bytes = random_bytes(random, n);
    const KernelSet& scalar = *list_kernels().back();
    std::uint8_t any_map[256];
    std::uint8_t stairs[256];
    for (unsigned b = 0; b < 256; ++b) {
        any_map[b] = static_cast<std::uint8_t>(random());
        stairs[b] = static_cast<std::uint8_t>(b / 10);
    }
    for (const ByteMap& map : {make_byte_map(any_map), make_byte_map(stairs)}) {
        const Exact expected(bytes);
        const Exact mapped(bytes);
        scalar.map_bytes(expected.data.get(), n, map);
        kernels.map_bytes(mapped.data.get(), n, map);
        check(equal(mapped, expected), "map_bytes");
    }
    const Exact exact(bytes);
    const auto wanted = static_cast<std::uint8_t>(random());
    const std::size_t n_wanted = scalar.count_byte(exact.data.get(), n, wanted);
    check(kernels.count_byte(exact.data.get(), n, wanted) == n_wanted, "count_byte");
    std::vector<std::uint16_t> expected(n);
    std::vector<std::uint16_t> found(n);
    const std::size_t n_expected = scalar.find_outside(exact.data.get(), n, 250, 15, expected.data());
    check(kernels.find_outside(exact.data.get(), n, 250, 15, found.data()) == n_expected, "find_outside");
    check(found == expected, "find_outside");
}

// Symbols of which the first has about percent of all; n_symbols of them, from first on.
std::vector<std::uint8_t> skewed_symbols(Random& random, std::size_t n, unsigned first, unsigned n_symbols,
                                         unsigned percent) {
    std::vector<std::uint8_t> symbols(n);
    for (std::uint8_t& symbol : symbols) {
        const std::size_t number = random() % 100 < percent ? 0 : random() % n_symbols;
        symbol = static_cast<std::uint8_t>(first + number);
    }
    return symbols;
}

void check_rans_encode(const KernelSet& kernels, const EncodeTable& table, const Exact& symbols,
                       const std::uint8_t* contexts) {
    const std::size_t n_words = symbols.size + kEncodeSlackWords;
    const Exact expected(2 * n_words);
    const Exact words(2 * n_words);
    std::uint32_t expected_states[kLanes];
    std::uint32_t states[kLanes];
    const Exact soon(2 * symbols.size);
    const std::uint8_t* ahead = symbols.size % 2 == 0 ? soon.data.get() : nullptr;
    const auto encode = [&](const KernelSet& set, const Exact& out, std::uint32_t* out_states) {
        auto* end = reinterpret_cast<std::uint16_t*>(out.data.get()) + n_words;
        return static_cast<std::size_t>(
            end - set.rans_encode(table, symbols.data.get(), contexts, symbols.size, ahead, end, out_states));
    };
    const std::size_t n = encode(*list_kernels().back(), expected, expected_states);
    check(encode(kernels, words, states) == n, "rans_encode counts");
    check(std::memcmp(states, expected_states, sizeof states) == 0, "rans_encode states");
    const std::size_t first = 2 * (n_words - n);
    check(std::memcmp(words.data.get() + first, expected.data.get() + first, 2 * n) == 0, "rans_encode words");
}

// Narrow tables with and without a symbol that has more than half of all, escapes, wide tables, and contexts.
void check_rans_encode(const KernelSet& kernels, Random& random, std::size_t n) {
    for (const unsigned n_symbols : {3u, 15u, 40u, 256u}) {
        for (const unsigned percent : {0u, 20u, 45u, 73u, 97u}) {
            const Exact symbols(skewed_symbols(random, n, 256 - n_symbols, n_symbols, percent));
            Histogram counts{};
            for (std::size_t i = 0; i < n; ++i) ++counts[symbols.data[i]];
            counts[256 - n_symbols] += 1;
            counts[255] += 1;
            const std::vector<Table> tables{make_table(counts, 12), make_table(counts, 12)};
            check_rans_encode(kernels, EncodeTables({tables[0]}, 12).view(), symbols, nullptr);
            check_rans_encode(kernels, EncodeTables({make_escape_table(counts, 12)}, 12).view(), symbols, nullptr);
            const Exact contexts(skewed_symbols(random, n, 0, 2, 50));
            check_rans_encode(kernels, EncodeTables(tables, 12).view(), symbols, contexts.data.get());
        }
    }
}

// Counting with small counters is counting.
void check_counting(Random& random, std::size_t n) {
    constexpr std::size_t n_contexts = 32;
    const Exact symbols(random_bytes(random, n));
    const Exact contexts(random_bytes(random, n));
    for (std::size_t i = 0; i < n; ++i) contexts.data[i] %= n_contexts;
    std::vector<std::uint32_t> expected(256 * n_contexts, 7);
    std::vector<std::uint32_t> counts(256 * n_contexts, 7);
    for (std::size_t i = 0; i < n; ++i) ++expected[256 * std::size_t{contexts.data[i]} + symbols.data[i]];
    count_symbols_by_context(symbols.data.get(), contexts.data.get(), n, n_contexts, counts.data());
    check(counts == expected, "count_symbols_by_context");
}

void check_kernels(const KernelSet& kernels) {
    Random random(1);
    for (std::size_t n = 0; n <= kMaxElements; ++n) {
        for (unsigned element_log2 = 0; element_log2 < 4; ++element_log2) {
            for (unsigned transform = 0; transform < 4; ++transform) {
                check_elementwise(kernels, random, element_log2, transform, 0, n);
                const auto zero_bits = static_cast<unsigned>(random() % (8u << element_log2));
                if (transform != kIdentity) check_elementwise(kernels, random, element_log2, transform, zero_bits, n);
            }
            check_keys(kernels, random, element_log2, n);
        }
        check_bytes(kernels, random, n);
        check_counting(random, n);
        check_rans_encode(kernels, random, n);
    }
}

}  // namespace
}  // namespace weightzip::test

int main() {
    weightzip::test::check_division();
    for (const auto* kernels : weightzip::list_kernels()) {
        std::printf("checking the %s kernels\n", kernels->name);
        weightzip::test::check_kernels(*kernels);
    }
    return 0;
}
