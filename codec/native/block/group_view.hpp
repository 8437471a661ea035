// A block group that has been read up to its payloads: every field checked, nothing decoded.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "block/decode_table.hpp"
#include "block/layout.hpp"
#include "block/recipe.hpp"
#include "kernels/elementwise.hpp"

namespace weightzip {

struct PlaneView {
    PlaneMode mode = PlaneMode::raw;
    std::uint8_t prob_bits = 0;
    PlaneTables tables;
};

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
