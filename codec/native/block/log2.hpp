// Base-2 logarithms in fixed point: every cost in the encoder is an integer, so that its decisions are the
// same on every machine.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace weightzip {

// Costs are counted in units of 2^-16 bit.
inline constexpr unsigned kCostShift = 16;
using Cost = std::uint64_t;

constexpr Cost bits_cost(std::uint64_t n_bits) noexcept { return n_bits << kCostShift; }

namespace detail {

// log2 of n, 1 or more: the fraction comes bit by bit from squaring the mantissa.
constexpr std::uint32_t exact_log2(std::uint32_t n) noexcept {
    const auto whole = static_cast<unsigned>(std::bit_width(n)) - 1;
    std::uint64_t mantissa = std::uint64_t{n} << (31 - whole);  // 1.31 fixed point
    std::uint32_t result = whole;
    for (unsigned bit = 0; bit < kCostShift; ++bit) {
        mantissa = mantissa * mantissa >> 31;
        const bool carry = mantissa >> 32 != 0;
        if (carry) mantissa >>= 1;
        result = result << 1 | static_cast<std::uint32_t>(carry);
    }
    return result;
}

constexpr std::array<std::uint32_t, 4097> make_log2_table() noexcept {
    std::array<std::uint32_t, 4097> table{};
    for (std::uint32_t n = 1; n < table.size(); ++n) table[n] = exact_log2(n);
    return table;
}

}  // namespace detail

inline constexpr std::array<std::uint32_t, 4097> kLog2 = detail::make_log2_table();

// log2(n) * 2^16 for n of 1 or more; 0 for 0. Exact up to 4096, interpolated above.
constexpr Cost fixed_log2(std::uint64_t n) noexcept {
    if (n <= 4096) return kLog2[n];
    const auto drop = static_cast<unsigned>(std::bit_width(n)) - 12;
    const std::uint64_t top = n >> drop;  // 2048 to 4095
    const std::uint64_t low = kLog2[top];
    const std::uint64_t fraction = (n - (top << drop)) << 16 >> drop;
    return low + ((kLog2[top + 1] - low) * fraction >> 16) + (Cost{drop} << kCostShift);
}

namespace detail {

constexpr std::array<std::uint32_t, 4097> make_n_log2_table() noexcept {
    std::array<std::uint32_t, 4097> table{};
    for (std::uint32_t n = 1; n < table.size(); ++n) {
        table[n] = static_cast<std::uint32_t>(std::uint64_t{n} * kLog2[n] >> 1);
    }
    return table;
}

}  // namespace detail

// n * log2(n) * 2^15: half of it, so that it fits.
inline constexpr std::array<std::uint32_t, 4097> kNLog2 = detail::make_n_log2_table();

// n * log2(n) * 2^16.
constexpr Cost n_log2(std::uint64_t n) noexcept { return n <= 4096 ? Cost{kNLog2[n]} << 1 : n * fixed_log2(n); }

}  // namespace weightzip
