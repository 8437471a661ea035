// Reading one plane of one block, stretch by stretch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block/bytes.hpp"
#include "block/group_view.hpp"
#include "cpu/dispatch.hpp"

namespace weightzip {

// Elements of a stretch: few enough for all that a stretch touches to stay in the first-level cache.
inline constexpr std::size_t kStretchElements = 2048;

class PlaneReader {
public:
    // Checks the head of the payload. Both views must outlive the reading. Throws CorruptBlocks.
    void open(const PlaneView& plane, const PayloadView& payload, std::size_t n_elements);

    // Whether the plane is entropy coded in this block: its stream goes through a RansDecodeKernel.
    bool is_rans() const noexcept { return payload_->storage == PlaneStorage::rans; }

    PlaneMode mode() const noexcept { return plane_->mode; }

    // What to decode next; contexts are those of the same elements, nullptr if there is one table. Only if is_rans().
    RansStream stream(const std::uint8_t* contexts) noexcept;
    DecodeTable table() const noexcept { return plane_->tables.view(); }

    // Moves on by n bytes (at most kStretchElements; a multiple of 32 but for the last), which have been decoded if
    // is_rans(), and puts the exceptions among them in place. bytes() has them then. Throws CorruptBlocks.
    void advance(std::size_t n, const std::uint8_t* contexts, const KernelSet& kernels);

    // The bytes of the last advance; valid until the next.
    const std::uint8_t* bytes() const noexcept { return bytes_; }

    // Calls use(i) for each exception, at bytes()[i], of the last advance.
    template <typename Use>
    void for_each_exception(Use&& use) const {
        for (std::size_t e = first_exception_; e < next_exception_; ++e) use(exception_place(e));
    }

    // The bytes of the next advance, if they are known before it: those of a raw or constant plane.
    const std::uint8_t* next_bytes() const noexcept;

    // Checks that everything has been used and every state is at its start. Throws CorruptBlocks.
    void finish() const;

private:
    void open_rans(std::size_t n_elements);
    std::span<const std::uint8_t> open_exceptions(std::span<const std::uint8_t> bytes, std::size_t n_elements);
    void apply_exceptions(std::size_t n, const std::uint8_t* contexts, const KernelSet& kernels);

    // Where exception e stands, counted from the start of the last advance; large if before it.
    std::size_t exception_place(std::size_t e) const noexcept {
        return load_u16(exception_positions_ + 2 * e) - (position_ - n_last_);
    }

    const PlaneView* plane_ = nullptr;
    const PayloadView* payload_ = nullptr;
    std::size_t position_ = 0;
    std::size_t n_last_ = 0;  // bytes of the last advance
    const std::uint8_t* bytes_ = nullptr;
    const std::uint8_t* exception_positions_ = nullptr;
    const std::uint8_t* exception_bytes_ = nullptr;
    std::size_t n_exceptions_ = 0;
    std::size_t first_exception_ = 0;  // of the last advance
    std::size_t next_exception_ = 0;
    RansCursor cursor_{};
    alignas(32) std::uint8_t decoded_[kStretchElements];
};

// Decodes n symbols of the same plane of n_streams (1 to kMaxStreams) blocks. Throws CorruptBlocks.
void decode_streams(const DecodeTable& table, const RansStream* streams, std::size_t n_streams, std::size_t n,
                    const KernelSet& kernels);

}  // namespace weightzip
