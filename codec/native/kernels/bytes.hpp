// Kernels over plain bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weightzip {

// Above this many steps comparing takes longer than looking up.
inline constexpr unsigned kMaxMapSteps = 31;

// A map from bytes to bytes. If it only ever rises, by one at a time and at most kMaxMapSteps times, the bytes at
// which it does are listed, so that it can be computed by comparing.
struct ByteMap {
    std::uint8_t map[256];
    std::uint8_t steps[kMaxMapSteps];
    unsigned n_steps;  // kMaxMapSteps + 1 if the map is of another shape
};

ByteMap make_byte_map(const std::uint8_t* map) noexcept;

// Replaces each of n_bytes bytes b, in place, by map.map[b]. Context keys become contexts so.
using MapBytesKernel = void (*)(std::uint8_t* bytes, std::size_t n_bytes, const ByteMap& map) noexcept;

// Returns how many of n_bytes bytes equal wanted.
using CountByteKernel = std::size_t (*)(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t wanted) noexcept;

// Writes the positions, ascending, of the bytes that are not first, first + 1, ... first + count - 1 (modulo 256, count
// below 256) to positions, which has room for n_bytes (at most 65536) of them, and returns their number.
using FindOutsideKernel = std::size_t (*)(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t first,
                                          std::uint8_t count, std::uint16_t* positions) noexcept;

void map_bytes_scalar(std::uint8_t* bytes, std::size_t n_bytes, const ByteMap& map) noexcept;
void map_bytes_avx2(std::uint8_t* bytes, std::size_t n_bytes, const ByteMap& map) noexcept;
void map_bytes_avx512(std::uint8_t* bytes, std::size_t n_bytes, const ByteMap& map) noexcept;

std::size_t count_byte_scalar(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t wanted) noexcept;
std::size_t count_byte_avx2(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t wanted) noexcept;

std::size_t find_outside_scalar(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t first, std::uint8_t count,
                                std::uint16_t* positions) noexcept;
std::size_t find_outside_avx2(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t first, std::uint8_t count,
                              std::uint16_t* positions) noexcept;

}  // namespace weightzip
