// What is to be encoded: elements, the inputs they lean on, and how they are to be seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "block/recipe.hpp"
#include "cpu/dispatch.hpp"

namespace weightzip {

struct Elements {
    const std::uint8_t* raw = nullptr;
    const std::uint8_t* predecessor = nullptr;  // nullptr if there is none
    const std::uint8_t* companion = nullptr;    // nullptr if there is none
    std::size_t n_elements = 0;
    std::uint8_t element_log2 = 0;
    std::uint8_t companion_log2 = 0;
    std::uint8_t transform = 0;
    std::uint8_t zero_bits = 0;
    Predictor predictor = Predictor::none;
    ContextInput context_input = ContextInput::none;
    // If has_factors(): what they are to be fitted to, and then they themselves.
    std::uint8_t mantissa_bits = 0;
    std::span<const Section> sections;
    const Factors* factors = nullptr;

    std::size_t n_planes() const noexcept { return std::size_t{1} << element_log2; }
    const std::uint8_t* raw_at(std::size_t element) const noexcept { return raw + (element << element_log2); }
    const std::uint8_t* predecessor_at(std::size_t element) const noexcept {
        return predecessor == nullptr ? nullptr : predecessor + (element << element_log2);
    }
    bool has_factors() const noexcept { return needs_factors(predictor, context_input); }
    // What contexts come from, unless that is the scale.
    const std::uint8_t* context_at(std::size_t element) const noexcept {
        return context_input == ContextInput::companion ? companion + (element << companion_log2)
                                                        : predecessor_at(element);
    }
    unsigned context_log2() const noexcept {
        return context_input == ContextInput::companion ? companion_log2 : element_log2;
    }
};

// The caller's wishes.
struct EncodeOptions {
    unsigned max_contexts;
    unsigned max_low_contexts;  // at most 1: none
    std::uint8_t key_shift;
    unsigned n_threads;
    const KernelSet* kernels;
};

}  // namespace weightzip
