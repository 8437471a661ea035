// Little-endian fields of a block group, in memory of any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "block/error.hpp"

namespace weightzip {

static_assert(std::endian::native == std::endian::little, "the kernels copy little-endian integers");

inline std::uint32_t load_u32(const std::uint8_t* from) noexcept {
    std::uint32_t value;
    std::memcpy(&value, from, 4);
    return value;
}

inline std::uint16_t load_u16(const std::uint8_t* from) noexcept {
    std::uint16_t value;
    std::memcpy(&value, from, 2);
    return value;
}

template <typename T>
void append(std::vector<std::uint8_t>& bytes, T value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof(T));
    std::memcpy(bytes.data() + at, &value, sizeof(T));
}

// Splits the next n_bytes off the front of bytes. Throws CorruptBlocks if there are not as many.
inline std::span<const std::uint8_t> take_bytes(std::span<const std::uint8_t>& bytes, std::size_t n_bytes,
                                                const char* otherwise) {
    require(n_bytes <= bytes.size(), otherwise);
    const auto front = bytes.first(n_bytes);
    bytes = bytes.subspan(n_bytes);
    return front;
}

constexpr std::size_t align16(std::size_t n) noexcept { return (n + 15) & ~std::size_t{15}; }

}  // namespace weightzip
