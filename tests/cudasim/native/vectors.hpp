// Vector types with CUDA's alignment, and loads and stores with cache hints, which mean nothing here.
#pragma once

#include <cstdint>

struct alignas(8) uint2 {
    std::uint32_t x, y;
};

struct alignas(16) uint4 {
    std::uint32_t x, y, z, w;
};

inline uint2 make_uint2(std::uint32_t x, std::uint32_t y) { return {x, y}; }
inline uint4 make_uint4(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) { return {x, y, z, w}; }

template <typename T>
inline T __ldg(const T* p) {
    return *p;
}
template <typename T>
inline T __ldcs(const T* p) {
    return *p;
}
template <typename T>
inline void __stcs(T* p, T value) {
    *p = value;
}
