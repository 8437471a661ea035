// The recipe of a block group and its stored form (docs/format.md "Recipe").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weightzip {

inline constexpr unsigned kMaxContexts = 32;
inline constexpr unsigned kMinBlockLog2 = 10;
inline constexpr unsigned kMaxBlockLog2 = 16;
inline constexpr std::uint8_t kRotate = 1;
inline constexpr std::uint8_t kFirstDifference = 2;  // transforms from here on need a predecessor

// How an element's context follows from the predecessor's element.
struct ContextSource {
    std::uint8_t key_shift = 0;
    std::uint32_t key_base = 0;
    std::array<std::uint8_t, 256> context_of_key{};
};

struct Recipe {
    std::uint8_t element_log2 = 0;
    std::uint8_t transform = 0;
    std::uint8_t block_log2 = kMaxBlockLog2;
    std::uint8_t n_contexts = 1;
    ContextSource source;  // of more than one context

    std::size_t element_bytes() const noexcept { return std::size_t{1} << element_log2; }
    std::size_t block_elements() const noexcept { return std::size_t{1} << block_log2; }
    bool leans_on_predecessor() const noexcept { return transform >= kFirstDifference || n_contexts > 1; }
    std::size_t count_blocks(std::size_t n_elements) const noexcept {
        return (n_elements + block_elements() - 1) >> block_log2;
    }
};

void write_recipe(std::vector<std::uint8_t>& group, const Recipe& recipe);

// Reads the recipe and moves bytes past it. Throws CorruptBlocks.
Recipe read_recipe(std::span<const std::uint8_t>& bytes);

}  // namespace weightzip
