#include "block/decode_table.hpp"

#include <algorithm>

namespace weightzip {
namespace {

struct LiveSymbol {
    std::uint8_t symbol;
    std::uint32_t frequency;
    std::uint32_t start;
};

// Symbols of frequency above 0 in ascending order, the escape last under the byte that stands for it.
std::vector<LiveSymbol> list_symbols(const Table& table, std::uint16_t escape_byte) {
    std::vector<LiveSymbol> symbols;
    std::uint32_t start = 0;
    for (unsigned s = 0; s < 256; ++s) {
        if (table.frequency[s] == 0) continue;
        symbols.push_back({static_cast<std::uint8_t>(s), table.frequency[s], start});
        start += table.frequency[s];
    }
    if (escape_byte != kNoEscape) {
        symbols.push_back({static_cast<std::uint8_t>(escape_byte), table.escape_frequency, start});
    }
    return symbols;
}

// Slots are filled so many at a time: the next symbol overwrites what was too much.
constexpr std::uint32_t kFillSlots = 8;

void fill_slots(std::uint32_t* slots, const LiveSymbol& symbol) noexcept {
    for (std::uint32_t bias = 0; bias < symbol.frequency; bias += kFillSlots) {
        for (std::uint32_t i = 0; i < kFillSlots; ++i) {
            slots[bias + i] = make_decode_entry(symbol.symbol, bias + i, symbol.frequency);
        }
    }
}

std::uint16_t find_escape_byte(const Table& table) noexcept {
    if (!table.has_escape()) return kNoEscape;
    // There is one: a table with escape has at most 15 symbols.
    const auto free = std::find(table.frequency.begin(), table.frequency.end(), 0);
    return static_cast<std::uint16_t>(free - table.frequency.begin());
}

NarrowTable make_narrow_table(const std::vector<LiveSymbol>& symbols) noexcept {
    NarrowTable narrow{};
    unsigned n_inside[16] = {};
    constexpr unsigned bucket_shift = kMaxProbBits - 4;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        const auto [symbol, frequency, start] = symbols[i];
        narrow.symbol[i] = symbol;
        narrow.frequency_low[i] = static_cast<std::uint8_t>(frequency);
        narrow.frequency_high[i] = static_cast<std::uint8_t>(frequency >> 8);
        narrow.start_low[i] = static_cast<std::uint8_t>(start);
        narrow.start_high[i] = static_cast<std::uint8_t>(start >> 8);
        const std::uint32_t bucket = start >> bucket_shift;
        const std::uint32_t offset = start - (bucket << bucket_shift);
        if (offset != 0) narrow.thresholds[n_inside[bucket]++][bucket] = static_cast<std::uint8_t>(offset);
        // The last symbol to start at or before a bucket holds the bucket's first slot.
        for (std::uint32_t b = bucket + (offset != 0 ? 1 : 0); b < 16; ++b) {
            narrow.base[b] = static_cast<std::uint8_t>(i);
        }
    }
    for (std::size_t b = 0; b < 16; ++b) narrow.base[b] = static_cast<std::uint8_t>(narrow.base[b] + n_inside[b]);
    narrow.n_rounds = *std::max_element(n_inside, n_inside + 16);
    return narrow;
}

}  // namespace

void PlaneTables::open(std::size_t n_tables, unsigned prob_bits) {
    entries_ = std::make_unique_for_overwrite<std::uint32_t[]>((n_tables << prob_bits) + kFillSlots - 1);
    prob_bits_ = prob_bits;
}

void PlaneTables::add(const Table& table) {
    const std::uint16_t escape_byte = find_escape_byte(table);
    const std::vector<LiveSymbol> symbols = list_symbols(table, escape_byte);
    std::uint32_t* const entries = entries_.get() + (escape_bytes_.size() << prob_bits_);
    for (const LiveSymbol& symbol : symbols) fill_slots(entries + symbol.start, symbol);
    const bool is_narrow =
        escape_bytes_.empty() && prob_bits_ == kMaxProbBits && symbols.size() <= kMaxNarrowSymbols;
    narrow_ = is_narrow ? std::make_unique<NarrowTable>(make_narrow_table(symbols)) : nullptr;
    escape_bytes_.push_back(escape_byte);
    has_escape_ |= escape_byte != kNoEscape;
}

}  // namespace weightzip
