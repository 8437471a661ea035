// Elements predicted from factors (docs/format.md "Factors").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "block/factors.hpp"
#include "cpu/dispatch.hpp"

namespace weightzip {

// How an element's magnitude becomes a key.
struct KeyFields {
    unsigned shift;
    std::uint32_t base;
};

// The memory for predicted elements; it grows as needed.
class Prediction {
public:
    // Predicts elements first to first + n - 1 of a group. predecessor is that of the element first; it is read only if
    // the weight is above 0. The result is valid until the next call.
    const std::uint8_t* predict(const Factors& factors, const std::uint8_t* predecessor, std::size_t first,
                                std::size_t n, unsigned element_log2, const KernelSet& kernels);

    // Writes the context keys of the same n elements' scales to keys.
    void find_keys(const Factors& factors, const std::uint8_t* predecessor, std::size_t first, std::size_t n,
                   unsigned element_log2, const KeyFields& fields, const KernelSet& kernels, std::uint8_t* keys);

private:
    std::vector<std::int32_t> offsets_;
    std::vector<std::uint8_t> elements_;
};

}  // namespace weightzip
