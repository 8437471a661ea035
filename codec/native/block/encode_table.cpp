#include "block/encode_table.hpp"

namespace weightzip {
namespace {

constexpr unsigned kNarrowEntries = 16;

EncodeEntry make_escape_entry(const Table& table, unsigned prob_bits) noexcept {
    return make_encode_entry(table.escape_frequency, (1u << prob_bits) - table.escape_frequency, prob_bits);
}

// Appends 256 entries; symbols that the table does not list get the escape's, if there is one.
void append_entries(std::vector<EncodeEntry>& entries, const Table& table, unsigned prob_bits) {
    std::uint32_t start = 0;
    for (const std::uint16_t frequency : table.frequency) {
        if (frequency != 0) {
            entries.push_back(make_encode_entry(frequency, start, prob_bits));
        } else {
            entries.push_back(table.has_escape() ? make_escape_entry(table, prob_bits) : EncodeEntry{0, 0});
        }
        start += frequency;
    }
}

void put_entry(NarrowEncodeTable& narrow, unsigned number, const EncodeEntry& entry) noexcept {
    for (unsigned k = 0; k < 4; ++k) {
        narrow.reciprocal[k][number] = static_cast<std::uint8_t>(entry.reciprocal >> (8 * k));
        narrow.packed[k][number] = static_cast<std::uint8_t>(entry.packed >> (8 * k));
    }
    narrow.increments |= entry.increment() != 0;
}

bool is_narrow(const Table& table) noexcept {
    const bool is_range = table.kind == TableKind::range || table.kind == TableKind::range_with_escape;
    return is_range && table.count + (table.has_escape() ? 1u : 0u) <= kNarrowEntries;
}

NarrowEncodeTable make_narrow(const Table& table, const std::vector<EncodeEntry>& entries,
                              unsigned prob_bits) noexcept {
    NarrowEncodeTable narrow{};
    narrow.first = table.first;
    narrow.last = static_cast<std::uint8_t>(table.has_escape() ? table.count : table.count - 1u);
    for (unsigned s = 0; s < table.count; ++s) put_entry(narrow, s, entries[table.first + s]);
    if (table.has_escape()) put_entry(narrow, table.count, make_escape_entry(table, prob_bits));
    return narrow;
}

}  // namespace

EncodeTables::EncodeTables(const std::vector<Table>& tables, unsigned prob_bits) : prob_bits_(prob_bits) {
    entries_.reserve(256 * tables.size());
    for (const Table& table : tables) append_entries(entries_, table, prob_bits);
    if (tables.size() == 1 && is_narrow(tables[0])) {
        narrow_ = std::make_unique<NarrowEncodeTable>(make_narrow(tables[0], entries_, prob_bits));
    }
}

}  // namespace weightzip
