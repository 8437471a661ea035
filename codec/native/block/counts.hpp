// How often each symbol occurs in each plane, under each context key.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "block/elements.hpp"
#include "block/table.hpp"
#include "kernels/elementwise.hpp"

namespace weightzip {

enum class CountMode : std::uint8_t { skip, flat, by_key };
using CountModes = std::array<CountMode, kMaxPlanes>;

// The counts of one plane. Blocks in which the plane is constant are left out: they cost nothing.
struct PlaneCounts {
    std::vector<std::uint32_t> rows = std::vector<std::uint32_t>(256);  // 256 counters a key; one row if counted flat
    std::uint64_t n_elements = 0;
    std::uint64_t n_blocks = 0;

    std::size_t n_rows() const noexcept { return rows.size() / 256; }
    Histogram row(std::size_t key) const noexcept;
    Histogram total() const noexcept;

    void add(const PlaneCounts& other);
    // Multiplies all counts by numerator / denominator, so that a sample speaks for the whole.
    void scale(std::uint64_t numerator, std::uint64_t denominator) noexcept;
};

using GroupCounts = std::array<PlaneCounts, kMaxPlanes>;

// Returns the key_base under which most of the predecessor's elements have a key of their own.
std::uint32_t choose_key_base(const Elements& elements, unsigned key_shift);

// Counts the planes as modes says, block by block.
GroupCounts count_planes(const Elements& elements, const CountModes& modes, std::uint32_t key_base,
                         const EncodeOptions& options);

}  // namespace weightzip
