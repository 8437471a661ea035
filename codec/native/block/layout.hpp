// The fixed numbers of tables, block table and payloads (docs/format.md "Tables", "Block table", "rANS payload").
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/rans.hpp"

namespace weightzip {

enum class PlaneMode : std::uint8_t { raw = 0, one_table = 1, contexts = 2, low_contexts = 3 };
enum class PlaneStorage : std::uint8_t { raw = 0, constant = 1, rans = 2 };

inline constexpr std::size_t kStateBytes = 4 * kLanes;
inline constexpr unsigned kStorageShift = 24;
inline constexpr std::uint32_t kValueMask = (1u << kStorageShift) - 1;

constexpr std::uint32_t make_block_entry(PlaneStorage storage, std::size_t value) noexcept {
    return static_cast<std::uint32_t>(storage) << kStorageShift | static_cast<std::uint32_t>(value);
}

}  // namespace weightzip
