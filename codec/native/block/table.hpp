// A table: the frequency of each symbol, and its stored form (docs/format.md "Tables").
#pragma once

#include <array>
#include <cstdint>

#include "block/bit_stream.hpp"
#include "block/log2.hpp"

namespace weightzip {

enum class TableKind : std::uint8_t { uniform = 0, single = 1, range = 2, range_with_escape = 3 };

inline constexpr unsigned kMaxEscapeSymbols = 15;

using Histogram = std::array<std::uint32_t, 256>;

// A sample's counts: each stands for weight / kUnitWeight elements of the whole.
inline constexpr std::uint64_t kUnitWeight = 256;

struct Table {
    TableKind kind = TableKind::uniform;
    std::uint8_t first = 0;        // of single and the ranges
    std::uint16_t count = 1;       // symbols of a range
    std::uint16_t escape_frequency = 0;
    std::uint8_t golomb_order = 0;  // of the stored frequencies of a range
    std::array<std::uint16_t, 256> frequency{};

    bool has_escape() const noexcept { return kind == TableKind::range_with_escape; }
};

// Returns the cheapest table without escape for these counts.
Table make_table(const Histogram& counts, unsigned prob_bits);

// Returns a table that lists the (at most) 15 neighbouring symbols with the highest counts; exactly the others escape,
// so it can code symbols that the counts lack. At least one count is above 0.
Table make_escape_table(const Histogram& counts, unsigned prob_bits);

// Bits of the stored table.
std::uint64_t table_bits(const Table& table);

// Cost of coding these counts with this table. Every symbol that occurs must have a frequency or be escaped.
Cost coding_cost(const Histogram& counts, const Table& table, unsigned prob_bits);

// As estimate_cost, without the table.
Cost entropy_cost(const Histogram& counts, std::uint64_t weight = kUnitWeight) noexcept;

// About the cost of a table of 10-bit frequencies and of coding with it everything that these counts stand for,
// without making one. A small sample looks more orderly than the whole is: that is made up for.
Cost estimate_cost(const Histogram& counts, std::uint64_t weight = kUnitWeight) noexcept;

// Symbols that a table with escape does not list.
std::uint64_t count_escapes(const Histogram& counts, const Table& table) noexcept;

void write_table(BitWriter& writer, const Table& table);

// Throws CorruptBlocks unless the frequencies sum to 2^prob_bits.
Table read_table(BitReader& reader, unsigned prob_bits);

}  // namespace weightzip
