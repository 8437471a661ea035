// Reading one plane of one block, stretch by stretch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block/group_view.hpp"
#include "cpu/dispatch.hpp"

namespace weightzip {

// Elements of a stretch: small enough for the planes of a stretch to stay in the first-level cache.
inline constexpr std::size_t kStretchElements = 4096;

class PlaneReader {
public:
    // Checks the head of the payload. Both views must outlive the reader. Throws CorruptBlocks.
    void open(const PlaneView& plane, const PayloadView& payload, std::size_t n_elements);

    // Returns the next n (at most kStretchElements; a multiple of 32 but for the last) bytes of the plane; valid until
    // the next call. contexts are those of the same elements. Throws CorruptBlocks.
    const std::uint8_t* read(std::size_t n, const std::uint8_t* contexts, const KernelSet& kernels);

    // Checks that everything has been used and every state is at its start. Throws CorruptBlocks.
    void finish() const;

private:
    void open_rans(std::size_t n_elements);
    std::span<const std::uint8_t> open_exceptions(std::span<const std::uint8_t> bytes, std::size_t n_elements);
    void decode(std::size_t n, const std::uint8_t* contexts, const KernelSet& kernels);
    void apply_exceptions(std::size_t n, const std::uint8_t* contexts);

    const PlaneView* plane_ = nullptr;
    const PayloadView* payload_ = nullptr;
    std::size_t position_ = 0;
    const std::uint8_t* exception_positions_ = nullptr;
    const std::uint8_t* exception_bytes_ = nullptr;
    std::size_t n_exceptions_ = 0;
    std::size_t next_exception_ = 0;
    RansCursor cursor_{};
    alignas(32) std::uint8_t bytes_[kStretchElements];
};

}  // namespace weightzip
