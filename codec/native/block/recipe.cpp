#include "block/recipe.hpp"

#include "block/bytes.hpp"

namespace weightzip {
namespace {

constexpr const char* kTooShort = "the recipe ends too early";

ContextSource read_context_source(std::span<const std::uint8_t>& bytes, unsigned n_contexts) {
    ContextSource source;
    const auto fixed = take_bytes(bytes, 6, kTooShort);
    source.key_shift = fixed[0];
    require(source.key_shift <= 63, "key_shift is above 63");
    source.key_base = load_u32(fixed.data() + 1);
    const std::size_t n_runs = std::size_t{fixed[5]} + 1;
    const auto runs = take_bytes(bytes, 2 * n_runs, kTooShort);
    unsigned next_key = 0;
    for (std::size_t r = 0; r < n_runs; ++r) {
        const std::uint8_t context = runs[2 * r];
        const unsigned last_key = runs[2 * r + 1];
        require(context < n_contexts, "a context is out of range");
        require(last_key >= next_key, "the keys of the context runs do not ascend");
        for (; next_key <= last_key; ++next_key) source.context_of_key[next_key] = context;
    }
    require(next_key == 256, "the context runs do not end at key 255");
    return source;
}

}  // namespace

void write_recipe(std::vector<std::uint8_t>& group, const Recipe& recipe) {
    append(group, recipe.element_log2);
    append(group, recipe.transform);
    append(group, recipe.block_log2);
    append(group, recipe.n_contexts);
    if (recipe.n_contexts == 1) return;
    const auto& context_of_key = recipe.source.context_of_key;
    append(group, recipe.source.key_shift);
    append(group, recipe.source.key_base);
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

Recipe read_recipe(std::span<const std::uint8_t>& bytes) {
    const auto fixed = take_bytes(bytes, 4, kTooShort);
    Recipe recipe{fixed[0], fixed[1], fixed[2], fixed[3], {}};
    require(recipe.element_log2 <= 3, "element_log2 is above 3");
    require(recipe.transform <= 3, "the transform is reserved");
    require(recipe.block_log2 >= kMinBlockLog2 && recipe.block_log2 <= kMaxBlockLog2, "block_log2 is not 10 to 16");
    require(recipe.n_contexts >= 1 && recipe.n_contexts <= kMaxContexts, "n_contexts is not 1 to 32");
    if (recipe.n_contexts > 1) recipe.source = read_context_source(bytes, recipe.n_contexts);
    return recipe;
}

}  // namespace weightzip
