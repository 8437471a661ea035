// A block group that has been read up to its payloads: every field checked, nothing decoded.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "block/layout.hpp"
#include "block/plan.hpp"
#include "block/recipe.hpp"

namespace weightzip {

struct PlaneView {
    PlaneMode mode = PlaneMode::raw;
    std::uint8_t prob_bits = 0;
    bool has_escape = false;
    std::vector<std::uint32_t> entries;       // decode table: 1 << prob_bits entries a context
    std::vector<std::uint16_t> escape_bytes;  // a context: the byte that stands for the escape, or kNoEscape
};

inline constexpr std::uint16_t kNoEscape = 256;

struct PayloadView {
    PlaneStorage storage;
    std::uint8_t constant;                // of storage constant
    std::span<const std::uint8_t> bytes;  // empty for storage constant
};

struct GroupView {
    Recipe recipe;
    std::size_t n_elements = 0;
    std::array<PlaneView, kMaxPlanes> planes;
    std::vector<PayloadView> payloads;  // block by block, plane by plane

    std::size_t n_planes() const noexcept { return recipe.element_bytes(); }
};

// Throws CorruptBlocks.
GroupView read_group(std::span<const std::uint8_t> group, std::size_t raw_bytes);

}  // namespace weightzip
