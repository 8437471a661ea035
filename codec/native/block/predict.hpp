// Elements predicted from factors (docs/format.md "Factors").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "block/factors.hpp"
#include "cpu/dispatch.hpp"

namespace weightzip {

// The memory for predicted elements; it grows as needed.
class Prediction {
public:
    // Predicts elements first to first + n - 1 of a group. predecessor is that of the element first; it is read only if
    // the weight is above 0. The result is valid until the next call.
    const std::uint8_t* predict(const Factors& factors, const std::uint8_t* predecessor, std::size_t first,
                                std::size_t n, unsigned element_log2, const KernelSet& kernels);

    // The result of the last call.
    const std::uint8_t* elements() const noexcept { return elements_.data(); }

private:
    std::vector<std::int32_t> offsets_;
    std::vector<std::uint8_t> elements_;
};

}  // namespace weightzip
