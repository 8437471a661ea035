// The memory one encoding worker needs for one block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "block/elements.hpp"

namespace weightzip {

class PlaneWorkspace {
public:
    PlaneWorkspace(std::size_t n_planes, std::size_t n_elements)
        : stride_(std::min(n_elements, std::size_t{1} << kMaxBlockLog2)),
          bytes_(std::make_unique_for_overwrite<std::uint8_t[]>((n_planes + 1) * stride_)) {}

    // Splits elements first to first + n - 1 into the planes k for which wanted(k) holds.
    template <typename Wanted>
    void split(const Elements& elements, std::size_t first, std::size_t n, const KernelSet& kernels,
               Wanted&& wanted) noexcept {
        std::uint8_t* planes[kMaxPlanes];
        for (std::size_t k = 0; k < elements.n_planes(); ++k) planes[k] = wanted(k) ? plane(k) : nullptr;
        kernels.elementwise->split[elements.element_log2][elements.transform](
            elements.raw_at(first), elements.predecessor_at(first), planes, n);
    }

    // Writes the context keys of the same elements to keys().
    void find_keys(const Elements& elements, std::size_t first, std::size_t n, unsigned key_shift,
                   std::uint32_t key_base, const KernelSet& kernels) noexcept {
        kernels.elementwise->keys[elements.element_log2](elements.predecessor_at(first), keys(), n, key_shift,
                                                         key_base);
    }

    std::uint8_t* keys() noexcept { return bytes_.get(); }
    std::uint8_t* plane(std::size_t k) noexcept { return bytes_.get() + (k + 1) * stride_; }

private:
    std::size_t stride_;
    std::unique_ptr<std::uint8_t[]> bytes_;
};

}  // namespace weightzip
