#include "block/recipe.hpp"

#include "block/bytes.hpp"

namespace weightzip {
namespace {

constexpr const char* kTooShort = "the recipe ends too early";

using ByteContexts = std::array<std::uint8_t, 256>;

// The contexts of all keys, which are bytes.
ByteContexts read_runs(std::span<const std::uint8_t>& bytes, unsigned n_contexts) {
    ByteContexts context_of_key{};
    const std::size_t n_runs = std::size_t{take_bytes(bytes, 1, kTooShort)[0]} + 1;
    const auto runs = take_bytes(bytes, 2 * n_runs, kTooShort);
    unsigned next_key = 0;
    for (std::size_t r = 0; r < n_runs; ++r) {
        const std::uint8_t context = runs[2 * r];
        const unsigned last_key = runs[2 * r + 1];
        require(context < n_contexts, "a context is out of range");
        require(last_key >= next_key, "the keys of the context runs do not ascend");
        for (; next_key <= last_key; ++next_key) context_of_key[next_key] = context;
    }
    require(next_key == 256, "the context runs do not end at key 255");
    return context_of_key;
}

void write_runs(std::vector<std::uint8_t>& group, const ByteContexts& context_of_key) {
    const std::size_t n_runs_at = group.size();
    append(group, std::uint8_t{0});
    std::uint8_t n_runs = 0;
    for (unsigned key = 0; key < 256; ++key) {
        if (key < 255 && context_of_key[key] == context_of_key[key + 1]) continue;
        append(group, context_of_key[key]);
        append(group, static_cast<std::uint8_t>(key));
        ++n_runs;
    }
    group[n_runs_at] = static_cast<std::uint8_t>(n_runs - 1);
}

ContextSource read_context_source(std::span<const std::uint8_t>& bytes, unsigned n_contexts) {
    ContextSource source;
    const auto fixed = take_bytes(bytes, 5, kTooShort);
    source.key_shift = fixed[0];
    require(source.key_shift <= 63, "key_shift is above 63");
    source.key_base = load_u32(fixed.data() + 1);
    source.context_of_key = read_runs(bytes, n_contexts);
    return source;
}

LowContexts read_low_contexts(std::span<const std::uint8_t>& bytes) {
    LowContexts low;
    low.n_contexts = take_bytes(bytes, 1, kTooShort)[0];
    require(low.n_contexts != 1 && low.n_contexts <= kMaxContexts, "n_low_contexts is not 0 or 2 to 32");
    if (low.n_contexts != 0) low.context_of_byte = read_runs(bytes, low.n_contexts);
    return low;
}

// What the fields of the recipe demand of each other.
void check_fields(const Recipe& recipe) {
    const bool differs = recipe.transform >= kFirstDifference;
    require(differs == (recipe.predictor != Predictor::none), "transform and predictor do not fit together");
    const bool has_input = recipe.context_input != ContextInput::none;
    require((recipe.n_contexts > 1) == has_input, "n_contexts and context_input do not fit together");
    require(recipe.companion_log2 == 0 || recipe.needs_companion(), "companion_log2 stands without a companion");
}

}  // namespace

void write_recipe(std::vector<std::uint8_t>& group, const Recipe& recipe) {
    append(group, recipe.element_log2);
    append(group, recipe.transform);
    append(group, recipe.block_log2);
    append(group, recipe.n_contexts);
    append(group, static_cast<std::uint8_t>(recipe.predictor));
    append(group, static_cast<std::uint8_t>(recipe.context_input));
    append(group, recipe.companion_log2);
    if (recipe.n_contexts > 1) {
        append(group, recipe.source.key_shift);
        append(group, recipe.source.key_base);
        write_runs(group, recipe.source.context_of_key);
    }
    if (recipe.has_factors()) write_factors(group, recipe.factors);
    append(group, recipe.low_contexts.n_contexts);
    if (recipe.low_contexts.n_contexts != 0) write_runs(group, recipe.low_contexts.context_of_byte);
    append(group, recipe.zero_bits);
}

Recipe read_recipe(std::span<const std::uint8_t>& bytes, std::size_t raw_bytes) {
    const auto fixed = take_bytes(bytes, 7, kTooShort);
    require(fixed[0] <= 3, "element_log2 is above 3");
    require(fixed[1] <= 3, "the transform is reserved");
    require(fixed[2] >= kMinBlockLog2 && fixed[2] <= kMaxBlockLog2, "block_log2 is not 10 to 16");
    require(fixed[3] >= 1 && fixed[3] <= kMaxContexts, "n_contexts is not 1 to 32");
    require(fixed[4] <= 2, "the predictor is reserved");
    require(fixed[5] <= 3, "the context_input is reserved");
    require(fixed[6] <= 3, "companion_log2 is above 3");
    Recipe recipe;
    recipe.element_log2 = fixed[0];
    recipe.transform = fixed[1];
    recipe.block_log2 = fixed[2];
    recipe.n_contexts = fixed[3];
    recipe.predictor = static_cast<Predictor>(fixed[4]);
    recipe.context_input = static_cast<ContextInput>(fixed[5]);
    recipe.companion_log2 = fixed[6];
    check_fields(recipe);
    require(raw_bytes % recipe.element_bytes() == 0, "the raw bytes are not whole elements");
    if (recipe.n_contexts > 1) recipe.source = read_context_source(bytes, recipe.n_contexts);
    if (recipe.has_factors()) {
        recipe.factors = read_factors(bytes, recipe.element_log2, raw_bytes >> recipe.element_log2);
        require(recipe.factors.weight != kMinusExponent || recipe.predictor == Predictor::predecessor,
                "an exponent is taken off and no predecessor is predicted");
    }
    recipe.low_contexts = read_low_contexts(bytes);
    recipe.zero_bits = take_bytes(bytes, 1, kTooShort)[0];
    require(recipe.zero_bits < 8 * recipe.element_bytes(), "zero_bits is as much as an element");
    require(recipe.zero_bits == 0 || recipe.transform != kIdentity, "zero_bits stand without a transform");
    return recipe;
}

}  // namespace weightzip
