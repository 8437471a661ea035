// Integer intrinsics without side effects.
#pragma once

#include <cstdint>

inline int __popc(std::uint32_t v) { return __builtin_popcount(v); }
inline int __clz(std::uint32_t v) { return v != 0 ? __builtin_clz(v) : 32; }
inline int __ffs(std::uint32_t v) { return __builtin_ffs(static_cast<int>(v)); }

inline std::uint32_t __umulhi(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
}

inline std::uint32_t __funnelshift_l(std::uint32_t low, std::uint32_t high, std::uint32_t shift) {
    return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) << (shift & 31) >> 32);
}

inline std::uint32_t __funnelshift_r(std::uint32_t low, std::uint32_t high, std::uint32_t shift) {
    return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> (shift & 31));
}

inline std::uint32_t __byte_perm(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
    std::uint32_t result = 0;
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t choice = selector >> (4 * i) & 15;
        auto byte = static_cast<std::uint32_t>(bytes >> (8 * (choice & 7)) & 255);
        if (choice & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << (8 * i);
    }
    return result;
}

template <typename T>
inline T min(T a, T b) {
    return b < a ? b : a;
}

template <typename T>
inline T max(T a, T b) {
    return a < b ? b : a;
}
