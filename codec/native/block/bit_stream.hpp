// The bit streams that hold tables and factors: filled from bit 0 of the first byte upward.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weightzip {

class BitWriter {
public:
    // Appends the low n_bits (0 to 32) of value, least significant first.
    void put(std::uint32_t value, unsigned n_bits);

    // Appends value as an Exp-Golomb code of the given order.
    void put_exp_golomb(std::uint32_t value, unsigned order);

    // Pads with zero bits to a byte and returns everything written.
    std::vector<std::uint8_t> finish();

private:
    std::vector<std::uint8_t> bytes_;
    std::uint64_t pending_ = 0;
    unsigned n_pending_ = 0;
};

// Bits of the Exp-Golomb code of value.
constexpr unsigned exp_golomb_bits(std::uint32_t value, unsigned order) noexcept {
    return 2 * static_cast<unsigned>(std::bit_width(value + (1u << order))) - order - 1;
}

class BitReader {
public:
    explicit BitReader(std::span<const std::uint8_t> bytes) noexcept : bytes_(bytes) {}

    // Reads n_bits (0 to 32). Throws CorruptBlocks at the end of the stream.
    std::uint32_t take(unsigned n_bits);

    // Reads an Exp-Golomb code. Throws CorruptBlocks if value + 2^order has more than max_digits (at most 32) digits.
    std::uint32_t take_exp_golomb(unsigned order, unsigned max_digits);

    std::size_t bits_left() const noexcept { return 8 * bytes_.size() - position_; }

    // Throws CorruptBlocks unless what is left is fewer than 8 bits, all zero.
    void finish() const;

private:
    // The next bits, 57 or more; zeros after the end.
    std::uint64_t peek() const noexcept;

    std::span<const std::uint8_t> bytes_;
    std::size_t position_ = 0;  // in bits
};

}  // namespace weightzip
