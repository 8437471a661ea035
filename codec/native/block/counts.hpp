// How often each symbol occurs in each plane, under each context key.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "block/elements.hpp"
#include "block/table.hpp"
#include "kernels/bytes.hpp"
#include "kernels/elementwise.hpp"

namespace weightzip {

// by_key counts rows for what context_of_key makes of the keys, by_top for the bytes of the top plane.
enum class CountMode : std::uint8_t { skip, flat, by_key, by_top };
using CountModes = std::array<CountMode, kMaxPlanes>;

// From elements to rows.
struct RowSource {
    std::uint32_t key_base = 0;
    const ByteMap* context_of_key = nullptr;  // nullptr: each key has its row
    unsigned n_contexts = 0;                  // of context_of_key, at most kMaxContexts
};

// The counts of one plane. Blocks in which the plane is constant are left out: they cost nothing.
struct PlaneCounts {
    std::vector<std::uint32_t> rows = std::vector<std::uint32_t>(256);  // 256 counters a row; one row if counted flat
    std::uint64_t n_elements = 0;
    std::uint64_t n_blocks = 0;
    std::uint64_t weight = kUnitWeight;  // what each count stands for; n_elements and n_blocks are of the whole

    std::size_t n_rows() const noexcept { return rows.size() / 256; }
    Histogram row(std::size_t key) const noexcept;
    // All rows together, as counted.
    Histogram sum() const noexcept;
    // As many as they stand for.
    Histogram total() const noexcept;

    void add(const PlaneCounts& other);
    // Makes the counts of a sample speak for the whole, numerator / denominator times as large.
    void represent(std::uint64_t numerator, std::uint64_t denominator) noexcept;
};

using GroupCounts = std::array<PlaneCounts, kMaxPlanes>;

// Returns the key_base under which most elements of the context input, which is not the predicted one, have a key of
// their own.
std::uint32_t choose_key_base(const Elements& elements, unsigned key_shift);

// Counts the planes as modes says, block by block.
GroupCounts count_planes(const Elements& elements, const CountModes& modes, const RowSource& source,
                         const EncodeOptions& options);

}  // namespace weightzip
