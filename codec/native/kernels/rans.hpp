// The entropy coder's numbers and the entries its kernels look up (docs/format.md "rANS payload").
#pragma once

#include <cstddef>
#include <cstdint>

namespace weightzip {

inline constexpr std::size_t kLanes = 32;
inline constexpr std::uint32_t kStateFloor = 1u << 16;
inline constexpr unsigned kMinProbBits = 8;
inline constexpr unsigned kMaxProbBits = 12;

// What the encoder needs to know about one symbol of one table; see make_encode_entry for the arithmetic.
struct EncodeEntry {
    std::uint32_t reciprocal;
    std::uint32_t packed;  // frequency: 13 bits, start: 12, shift: 4, increment: 1

    std::uint32_t frequency() const noexcept { return packed & 0x1fff; }
    std::uint32_t start() const noexcept { return packed >> 13 & 0xfff; }
    std::uint32_t shift() const noexcept { return packed >> 25 & 15; }
    std::uint32_t increment() const noexcept { return packed >> 29; }
};

// Returns the entry of a symbol with frequency 1 to 2^prob_bits.
//
// The quotient of x by f is ((x + increment) * reciprocal) >> (32 + shift), exactly, for every x the coder can
// hold after renormalisation, x < f * 2^(32 - prob_bits). With 2^shift in [f/2, f) the reciprocal fits in 32
// bits. Rounded up by e/f it is exact if f * e <= 2^(prob_bits + shift); rounded down by e'/f and with x + 1 it
// is exact if f * e' <= 2^(prob_bits + shift). As e + e' = f, one of the two holds. A frequency of
// 2^prob_bits leaves the state as it is, whatever the quotient.
EncodeEntry make_encode_entry(std::uint32_t frequency, std::uint32_t start, unsigned prob_bits) noexcept;

// One slot of a decode table. Frequencies go to 4096, so the entry holds frequency - 1.
constexpr std::uint32_t make_decode_entry(std::uint32_t symbol, std::uint32_t bias, std::uint32_t frequency) noexcept {
    return symbol | bias << 8 | (frequency - 1) << 20;
}

}  // namespace weightzip
