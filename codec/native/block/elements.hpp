// What is to be encoded: elements, their predecessor, and how they are to be seen.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block/recipe.hpp"
#include "cpu/dispatch.hpp"

namespace weightzip {

struct Elements {
    const std::uint8_t* raw;
    const std::uint8_t* predecessor;  // nullptr if there is none
    std::size_t n_elements;
    std::uint8_t element_log2;
    std::uint8_t transform;

    std::size_t n_planes() const noexcept { return std::size_t{1} << element_log2; }
    const std::uint8_t* raw_at(std::size_t element) const noexcept { return raw + (element << element_log2); }
    const std::uint8_t* predecessor_at(std::size_t element) const noexcept {
        return predecessor == nullptr ? nullptr : predecessor + (element << element_log2);
    }
};

// The caller's wishes.
struct EncodeOptions {
    unsigned max_contexts;
    std::uint8_t key_shift;
    unsigned n_threads;
    const KernelSet* kernels;
};

}  // namespace weightzip
