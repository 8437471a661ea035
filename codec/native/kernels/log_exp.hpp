// Logarithms and powers of elements in units of 1/256 octave, as tables (docs/format.md "Factors"). Made by integer
// arithmetic when this is compiled, so that they are the same everywhere; check_kernels compares them with the formula.
#pragma once

#include <cstdint>

namespace weightzip {

// A plain array, copied by value: what std::array does in functions, a linker could keep in a build for the wrong target.
template <typename T>
struct ByteTable {
    T values[256];
};

namespace detail {

// log2 of n, 1 to 2^16, times 2^24, off by less than 2^-5: the fraction comes bit by bit from squaring the mantissa.
constexpr std::uint32_t precise_log2(std::uint32_t n) noexcept {
    std::uint32_t whole = 0;
    while (n >> whole > 1) ++whole;
    std::uint64_t mantissa = std::uint64_t{n} << (31 - whole);  // 1.31 fixed point
    std::uint32_t result = whole;
    for (int bit = 0; bit < 24; ++bit) {
        mantissa = mantissa * mantissa >> 31;
        const std::uint32_t carry = mantissa >> 32 != 0;
        mantissa >>= carry;
        result = result << 1 | carry;
    }
    return result;
}

// The square root of n, rounded down.
constexpr std::uint64_t floor_sqrt(std::uint64_t n) noexcept {
    std::uint64_t root = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1) {
        if ((root | bit) * (root | bit) <= n) root |= bit;
    }
    return root;
}

// 2^(n / 512) for n below 512, in 1.31 fixed point: the product of the roots of 2 that the bits of n call for.
constexpr std::uint64_t precise_power(std::uint32_t n) noexcept {
    std::uint64_t root = std::uint64_t{1} << 32;
    std::uint64_t power = std::uint64_t{1} << 31;
    for (std::uint32_t bit = 256; bit != 0; bit >>= 1) {
        root = floor_sqrt(root << 31);
        if ((n & bit) != 0) power = power * root >> 31;
    }
    return power;
}

// Byte number k of each entry.
template <typename T>
constexpr ByteTable<std::uint8_t> take_bytes_of(const ByteTable<T>& table, unsigned k) noexcept {
    ByteTable<std::uint8_t> bytes{};
    for (unsigned f = 0; f < 256; ++f) {
        bytes.values[f] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(table.values[f]) >> (8 * k));
    }
    return bytes;
}

constexpr ByteTable<std::int32_t> make_log_excess() noexcept {
    ByteTable<std::int32_t> table{};
    for (std::uint32_t f = 0; f < 256; ++f) {
        // 1 + (f + 1/2) / 256 is (2 f + 513) / 2^9.
        const std::uint32_t log = precise_log2(2 * f + 513) - (9u << 24);
        table.values[f] = static_cast<std::int32_t>((log + (1u << 15)) >> 16) - static_cast<std::int32_t>(f);
    }
    return table;
}

constexpr ByteTable<std::uint32_t> make_power_mantissas() noexcept {
    ByteTable<std::uint32_t> table{};
    for (std::uint32_t f = 0; f < 256; ++f) {
        const std::uint64_t fraction = precise_power(2 * f + 1) - (std::uint64_t{1} << 31);
        table.values[f] = static_cast<std::uint32_t>((fraction + (1u << 14)) >> 15);
    }
    return table;
}

constexpr std::int32_t find_upper_half(const ByteTable<std::uint32_t>& mantissas) noexcept {
    std::int32_t f = 0;
    while (mantissas.values[f] < 1u << 15) ++f;
    return f;
}

}  // namespace detail

// LOG[f] - f.
inline constexpr ByteTable<std::int32_t> kLogExcess = detail::make_log_excess();

// EXP[f].
inline constexpr ByteTable<std::uint32_t> kPowerMantissas = detail::make_power_mantissas();

// The first f for which EXP[f] has its top bit set: from there on a power is in the upper half of its octave.
inline constexpr std::int32_t kUpperHalf = detail::find_upper_half(kPowerMantissas);

// The same by bytes; LOG[f] - f has only one.
inline constexpr ByteTable<std::uint8_t> kLogExcessBytes = detail::take_bytes_of(kLogExcess, 0);
inline constexpr ByteTable<std::uint8_t> kPowerLowBytes = detail::take_bytes_of(kPowerMantissas, 0);
inline constexpr ByteTable<std::uint8_t> kPowerHighBytes = detail::take_bytes_of(kPowerMantissas, 1);

}  // namespace weightzip
