// The recipe of a block group and its stored form (docs/format.md "Recipe").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "block/factors.hpp"

namespace weightzip {

inline constexpr unsigned kMaxContexts = 32;
inline constexpr unsigned kMinBlockLog2 = 10;
inline constexpr unsigned kMaxBlockLog2 = 16;
inline constexpr std::uint8_t kIdentity = 0;
inline constexpr std::uint8_t kRotate = 1;
inline constexpr std::uint8_t kFirstDifference = 2;  // transforms from here on need a predicted element

enum class Predictor : std::uint8_t { none = 0, predecessor = 1, factors = 2 };
enum class ContextInput : std::uint8_t { none = 0, predecessor = 1, companion = 2, scale = 3 };

// Scales are what is predicted, or what contexts come from.
constexpr bool needs_factors(Predictor predictor, ContextInput context_input) noexcept {
    return predictor == Predictor::factors || context_input == ContextInput::scale;
}

// How an element's context follows from the element of the context input.
struct ContextSource {
    std::uint8_t key_shift = 0;
    std::uint32_t key_base = 0;
    std::array<std::uint8_t, 256> context_of_key{};
};

// How the low context of an element, for the planes below the top one, follows from its byte there.
struct LowContexts {
    std::uint8_t n_contexts = 0;  // 0: there are none
    std::array<std::uint8_t, 256> context_of_byte{};
};

struct Recipe {
    std::uint8_t element_log2 = 0;
    std::uint8_t transform = 0;
    std::uint8_t block_log2 = kMaxBlockLog2;
    std::uint8_t n_contexts = 1;
    Predictor predictor = Predictor::none;
    ContextInput context_input = ContextInput::none;
    std::uint8_t companion_log2 = 0;
    ContextSource source;  // of more than one context
    Factors factors;       // if has_factors()
    LowContexts low_contexts;
    std::uint8_t zero_bits = 0;  // so many low bits of every element are 0

    std::size_t element_bytes() const noexcept { return std::size_t{1} << element_log2; }
    std::size_t block_elements() const noexcept { return std::size_t{1} << block_log2; }
    bool has_factors() const noexcept { return needs_factors(predictor, context_input); }
    bool needs_predecessor() const noexcept {
        return predictor == Predictor::predecessor || context_input == ContextInput::predecessor ||
               (has_factors() && factors.weight > 0);
    }
    bool needs_companion() const noexcept { return context_input == ContextInput::companion; }
    std::size_t count_blocks(std::size_t n_elements) const noexcept {
        return (n_elements + block_elements() - 1) >> block_log2;
    }
};

void write_recipe(std::vector<std::uint8_t>& group, const Recipe& recipe);

// Reads the recipe of raw_bytes bytes and moves bytes past it. Throws CorruptBlocks.
Recipe read_recipe(std::span<const std::uint8_t>& bytes, std::size_t raw_bytes);

}  // namespace weightzip
