#include "block/bit_stream.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "block/bytes.hpp"

namespace weightzip {
namespace {

constexpr const char* kTooShort = "a bit stream ends too early";

std::uint32_t reverse_bits(std::uint32_t bits) noexcept {
    bits = (bits >> 1 & 0x55555555) | (bits & 0x55555555) << 1;
    bits = (bits >> 2 & 0x33333333) | (bits & 0x33333333) << 2;
    bits = (bits >> 4 & 0x0f0f0f0f) | (bits & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(bits);
}

}  // namespace

void BitWriter::put(std::uint32_t value, unsigned n_bits) {
    pending_ |= (std::uint64_t{value} & ((std::uint64_t{1} << n_bits) - 1)) << n_pending_;
    n_pending_ += n_bits;
    while (n_pending_ >= 8) {
        bytes_.push_back(static_cast<std::uint8_t>(pending_));
        pending_ >>= 8;
        n_pending_ -= 8;
    }
}

void BitWriter::put_exp_golomb(std::uint32_t value, unsigned order) {
    const std::uint32_t shifted = value + (1u << order);
    const auto n_digits = static_cast<unsigned>(std::bit_width(shifted));
    put(0, n_digits - order - 1);
    for (unsigned digit = n_digits; digit-- > 0;) put(shifted >> digit & 1, 1);
}

std::vector<std::uint8_t> BitWriter::finish() {
    if (n_pending_ > 0) put(0, 8 - n_pending_);
    return std::move(bytes_);
}

std::uint64_t BitReader::peek() const noexcept {
    const std::size_t first = position_ / 8;
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes_.data() + first, std::min<std::size_t>(8, bytes_.size() - first));
    return bits >> (position_ % 8);
}

std::uint32_t BitReader::take(unsigned n_bits) {
    require(n_bits <= bits_left(), kTooShort);
    if (n_bits == 0) return 0;
    const std::uint64_t bits = peek();
    position_ += n_bits;
    return static_cast<std::uint32_t>(bits & ((std::uint64_t{1} << n_bits) - 1));
}

std::uint32_t BitReader::take_exp_golomb(unsigned order, unsigned max_digits) {
    require(bits_left() > 0, kTooShort);
    const auto n_zeros = static_cast<unsigned>(std::min<std::size_t>(std::countr_zero(peek()), bits_left()));
    require(n_zeros + order < max_digits, "a number in a bit stream is too large");
    require(n_zeros < bits_left(), kTooShort);
    position_ += n_zeros;
    const unsigned n_digits = n_zeros + order + 1;
    return (reverse_bits(take(n_digits)) >> (32 - n_digits)) - (1u << order);
}

void BitReader::finish() const {
    require(bits_left() < 8, "bytes are left at the end of a bit stream");
    require(bits_left() == 0 || peek() == 0, "the bits at the end of a bit stream are not zero");
}

}  // namespace weightzip
