#include "block/plane_reader.hpp"

#include <algorithm>
#include <cstring>

#include "block/bytes.hpp"

namespace weightzip {

void PlaneReader::open(const PlaneView& plane, const PayloadView& payload, std::size_t n_elements) {
    plane_ = &plane;
    payload_ = &payload;
    position_ = 0;
    first_exception_ = 0;
    n_exceptions_ = 0;
    next_exception_ = 0;
    if (payload.storage == PlaneStorage::rans) open_rans(n_elements);
    if (payload.storage == PlaneStorage::constant) std::memset(decoded_, payload.constant, kStretchElements);
}

void PlaneReader::open_rans(std::size_t n_elements) {
    std::span<const std::uint8_t> bytes = payload_->bytes;
    const auto states = take_bytes(bytes, kStateBytes, "a rANS payload is too short for its states");
    std::memcpy(cursor_.states, states.data(), kStateBytes);
    for (const std::uint32_t state : cursor_.states) require(state >= kStateFloor, "a state is below 2^16");
    if (plane_->tables.has_escape()) bytes = open_exceptions(bytes, n_elements);
    require(bytes.size() % 2 == 0, "a rANS payload ends within a word");
    cursor_.words = bytes.data();
    cursor_.words_end = bytes.data() + bytes.size();
    cursor_.in_tail = false;
}

// Checks the exceptions and returns what follows them.
std::span<const std::uint8_t> PlaneReader::open_exceptions(std::span<const std::uint8_t> bytes,
                                                           std::size_t n_elements) {
    constexpr const char* too_short = "a rANS payload is too short for its exceptions";
    n_exceptions_ = load_u32(take_bytes(bytes, 4, too_short).data());
    require(n_exceptions_ <= n_elements, "a block has more exceptions than elements");
    exception_positions_ = take_bytes(bytes, 2 * n_exceptions_, too_short).data();
    exception_bytes_ = take_bytes(bytes, n_exceptions_, too_short).data();
    if (n_exceptions_ % 2 == 1) {
        require(take_bytes(bytes, 1, too_short)[0] == 0, "the byte after the exceptions is not zero");
    }
    std::size_t lowest = 0;
    for (std::size_t e = 0; e < n_exceptions_; ++e) {
        const std::size_t position = load_u16(exception_positions_ + 2 * e);
        require(position >= lowest, "the positions of the exceptions do not ascend");
        require(position < n_elements, "an exception lies beyond its block");
        lowest = position + 1;
    }
    return bytes;
}

RansStream PlaneReader::stream(const std::uint8_t* contexts) noexcept {
    return {&cursor_, contexts, decoded_, nullptr, nullptr};
}

const std::uint8_t* PlaneReader::next_bytes() const noexcept {
    return payload_->storage == PlaneStorage::raw ? payload_->bytes.data() + position_ : decoded_;
}

void PlaneReader::advance(std::size_t n, const std::uint8_t* contexts, const KernelSet& kernels) {
    bytes_ = next_bytes();
    position_ += n;
    n_last_ = n;
    first_exception_ = next_exception_;
    if (!is_rans() || !plane_->tables.has_escape()) return;
    apply_exceptions(n, contexts, kernels);
}

// Every exception must stand where an escape was decoded, and there must be as many of the one as of the other.
void PlaneReader::apply_exceptions(std::size_t n, const std::uint8_t* contexts, const KernelSet& kernels) {
    const auto escape_byte = [&](std::size_t i) {
        return plane_->tables.escape_byte(contexts != nullptr ? contexts[i] : 0u);
    };
    std::size_t n_escapes = 0;
    if (contexts == nullptr) {
        n_escapes = kernels.count_byte(decoded_, n, static_cast<std::uint8_t>(escape_byte(0)));
    } else {
        for (std::size_t i = 0; i < n; ++i) n_escapes += decoded_[i] == escape_byte(i) ? 1u : 0u;
    }
    for (; next_exception_ < n_exceptions_ && exception_place(next_exception_) < n; ++next_exception_, --n_escapes) {
        const std::size_t i = exception_place(next_exception_);
        require(decoded_[i] == escape_byte(i), "an exception stands where no escape was coded");
        decoded_[i] = exception_bytes_[next_exception_];
    }
    require(n_escapes == 0, "an escape has no exception");
}

void PlaneReader::finish() const {
    if (!is_rans()) return;
    require(cursor_.words == cursor_.words_end, "a rANS payload has too many words");
    for (const std::uint32_t state : cursor_.states) require(state == kStateFloor, "a state does not end at 2^16");
}

void decode_streams(const DecodeTable& table, const RansStream* streams, std::size_t n_streams, std::size_t n,
                    const KernelSet& kernels) {
    require(kernels.rans_decode(table, streams, n_streams, n), "a rANS payload has too few words");
}

}  // namespace weightzip
