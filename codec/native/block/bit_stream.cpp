#include "block/bit_stream.hpp"

#include <bit>

#include "block/error.hpp"

namespace weightzip {

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

std::uint32_t BitReader::take(unsigned n_bits) {
    require(n_bits <= 8 * bytes_.size() - position_, "the tables end too early");
    std::uint32_t value = 0;
    for (unsigned k = 0; k < n_bits; ++k, ++position_) {
        value |= static_cast<std::uint32_t>(bytes_[position_ / 8] >> (position_ % 8) & 1) << k;
    }
    return value;
}

std::uint32_t BitReader::take_exp_golomb(unsigned order) {
    // The largest frequency is 4096, so the binary digits of value + 2^order (order below 8) are at most 13.
    unsigned n_zeros = 0;
    while (take(1) == 0) require(++n_zeros + order < 13, "a frequency is too large");
    std::uint32_t shifted = 1;
    for (unsigned digit = n_zeros + order; digit > 0; --digit) shifted = shifted << 1 | take(1);
    return shifted - (1u << order);
}

void BitReader::finish() const {
    require(8 * bytes_.size() - position_ < 8, "bytes are left after the last table");
    for (std::size_t bit = position_; bit < 8 * bytes_.size(); ++bit) {
        require((bytes_[bit / 8] >> (bit % 8) & 1) == 0, "the bits after the last table are not zero");
    }
}

}  // namespace weightzip
