// Kernels over plain bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weightzip {

// Replaces each of n_bytes bytes b, in place, by map[b]; map has 256 entries. Context keys become contexts so.
using MapBytesKernel = void (*)(std::uint8_t* bytes, std::size_t n_bytes, const std::uint8_t* map) noexcept;

// Returns how many of n_bytes bytes equal wanted.
using CountByteKernel = std::size_t (*)(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t wanted) noexcept;

// Writes the positions, ascending, of the bytes that are not first, first + 1, ... first + count - 1 (modulo 256, count
// below 256) to positions, which has room for n_bytes (at most 65536) of them, and returns their number.
using FindOutsideKernel = std::size_t (*)(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t first,
                                          std::uint8_t count, std::uint16_t* positions) noexcept;

void map_bytes_scalar(std::uint8_t* bytes, std::size_t n_bytes, const std::uint8_t* map) noexcept;
void map_bytes_avx2(std::uint8_t* bytes, std::size_t n_bytes, const std::uint8_t* map) noexcept;

std::size_t count_byte_scalar(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t wanted) noexcept;
std::size_t count_byte_avx2(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t wanted) noexcept;

std::size_t find_outside_scalar(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t first, std::uint8_t count,
                                std::uint16_t* positions) noexcept;
std::size_t find_outside_avx2(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t first, std::uint8_t count,
                              std::uint16_t* positions) noexcept;

}  // namespace weightzip
