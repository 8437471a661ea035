#include "block/table.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "block/error.hpp"
#include "block/normalize.hpp"
#include "kernels/rans.hpp"

namespace weightzip {
namespace {

// The largest frequency is 2^12; with 2^order added (order below 8) it has as many digits.
constexpr unsigned kMaxFrequencyDigits = kMaxProbBits + 1;

std::span<const std::uint16_t> range_frequencies(const Table& table) noexcept {
    return std::span(table.frequency).subspan(table.first, table.count);
}

// Bits of a range's frequencies under an Exp-Golomb order.
std::uint64_t frequencies_bits(const Table& table, unsigned order) noexcept {
    std::uint64_t bits = 0;
    for (const std::uint16_t frequency : range_frequencies(table)) bits += exp_golomb_bits(frequency, order);
    return table.has_escape() ? bits + exp_golomb_bits(table.escape_frequency, order) : bits;
}

std::uint8_t best_order(const Table& table) noexcept {
    std::uint8_t best = 0;
    std::uint64_t best_bits = ~std::uint64_t{0};
    for (std::uint8_t order = 0; order < 8; ++order) {
        const std::uint64_t bits = frequencies_bits(table, order);
        if (bits < best_bits) best = order, best_bits = bits;
    }
    return best;
}

Table make_uniform(unsigned prob_bits) noexcept {
    Table table;
    table.frequency.fill(static_cast<std::uint16_t>(1u << (prob_bits - 8)));
    return table;
}

Table make_single(std::uint8_t symbol, unsigned prob_bits) noexcept {
    Table table;
    table.kind = TableKind::single;
    table.first = symbol;
    table.frequency[symbol] = static_cast<std::uint16_t>(1u << prob_bits);
    return table;
}

// The cost of what a sample stands for. Entropy over a sample falls short of that over the whole by about
// (n_symbols - 1) / (2 ln 2) bits for each size of the sample that the whole has more (Miller and Madow).
Cost scale_entropy(std::uint64_t total, std::uint64_t n_symbols, Cost saved, std::uint64_t weight) noexcept {
    constexpr Cost kShortfall = 47274;  // 1 / (2 ln 2) bits
    const Cost spent = n_log2(total);
    const Cost entropy = spent > saved ? spent - saved : 0;
    if (weight <= kUnitWeight || n_symbols == 0) return entropy;
    return (entropy * weight + (n_symbols - 1) * kShortfall * (weight - kUnitWeight)) / kUnitWeight;
}

constexpr unsigned kEstimateBits = 10;

// Bits of a 10-bit frequency in the table of an estimate.
constexpr auto kEstimateTableBits = [] {
    std::array<std::uint8_t, (1u << kEstimateBits) + 1> bits{};
    for (std::uint32_t f = 0; f < bits.size(); ++f) bits[f] = static_cast<std::uint8_t>(exp_golomb_bits(f, 2));
    return bits;
}();

// The symbols that occur lie from first up to, and without, end; 0 and 0 if none does.
std::pair<unsigned, unsigned> find_range(const Histogram& counts) noexcept {
    unsigned first = 0;
    unsigned end = 256;
    while (end > 0 && counts[end - 1] == 0) --end;
    while (first < end && counts[first] == 0) ++first;
    return {first, end};
}

void read_range(BitReader& reader, Table& table) {
    const bool escape = table.has_escape();
    table.first = static_cast<std::uint8_t>(reader.take(8));
    table.count = static_cast<std::uint16_t>(reader.take(escape ? 4 : 8) + 1);
    require(!escape || table.count <= kMaxEscapeSymbols, "a table with escape lists too many symbols");
    require(table.first + table.count <= 256, "a table's range ends beyond symbol 255");
    const unsigned order = reader.take(3);
    for (unsigned s = table.first; s < unsigned{table.first} + table.count; ++s) {
        table.frequency[s] = static_cast<std::uint16_t>(reader.take_exp_golomb(order, kMaxFrequencyDigits));
    }
    if (escape) {
        table.escape_frequency = static_cast<std::uint16_t>(reader.take_exp_golomb(order, kMaxFrequencyDigits));
        require(table.escape_frequency > 0, "an escape has frequency 0");
    }
}

}  // namespace

Table make_table(const Histogram& counts, unsigned prob_bits) {
    const auto [first, end] = find_range(counts);
    if (end - first <= 1) return make_single(static_cast<std::uint8_t>(first), prob_bits);
    Table range;
    range.kind = TableKind::range;
    range.first = static_cast<std::uint8_t>(first);
    range.count = static_cast<std::uint16_t>(end - first);
    normalize_counts(std::span(counts).subspan(first, range.count), prob_bits,
                     std::span(range.frequency).subspan(first, range.count));
    range.golomb_order = best_order(range);
    const Table uniform = make_uniform(prob_bits);
    const auto cost = [&](const Table& table) {
        return coding_cost(counts, table, prob_bits) + bits_cost(table_bits(table));
    };
    return cost(uniform) <= cost(range) ? uniform : range;
}

Table make_escape_table(const Histogram& counts, unsigned prob_bits) {
    std::uint64_t total = 0;
    for (const std::uint32_t count : counts) total += count;
    std::uint64_t inside = 0;
    for (unsigned s = 0; s < kMaxEscapeSymbols; ++s) inside += counts[s];
    std::uint64_t most = inside;
    unsigned best = 0;
    for (unsigned first = 1; first + kMaxEscapeSymbols <= 256; ++first) {
        inside += counts[first + kMaxEscapeSymbols - 1];
        inside -= counts[first - 1];
        if (inside > most) most = inside, best = first;
    }
    unsigned first = best;
    unsigned last = best + kMaxEscapeSymbols - 1;
    while (first < last && counts[first] == 0) ++first;
    while (last > first && counts[last] == 0) --last;
    std::array<std::uint32_t, kMaxEscapeSymbols + 1> window{};
    std::array<std::uint16_t, kMaxEscapeSymbols + 1> frequency{};
    const unsigned count = last - first + 1;
    // Every listed symbol gets a frequency, so that exactly the others escape.
    for (unsigned s = 0; s < count; ++s) window[s] = std::max(counts[first + s], 1u);
    window[count] = static_cast<std::uint32_t>(std::max<std::uint64_t>(total - most, 1));
    normalize_counts(std::span(window).first(count + 1), prob_bits, std::span(frequency).first(count + 1));
    Table table;
    table.kind = TableKind::range_with_escape;
    table.first = static_cast<std::uint8_t>(first);
    table.count = static_cast<std::uint16_t>(count);
    std::copy_n(frequency.begin(), count, table.frequency.begin() + first);
    table.escape_frequency = frequency[count];
    table.golomb_order = best_order(table);
    return table;
}

std::uint64_t table_bits(const Table& table) {
    switch (table.kind) {
        case TableKind::uniform: return 2;
        case TableKind::single: return 10;
        case TableKind::range: return 21 + frequencies_bits(table, table.golomb_order);
        case TableKind::range_with_escape: return 17 + frequencies_bits(table, table.golomb_order);
    }
    return 0;
}

Cost coding_cost(const Histogram& counts, const Table& table, unsigned prob_bits) {
    Cost cost = 0;
    for (unsigned s = 0; s < 256; ++s) {
        const std::uint16_t frequency = table.frequency[s] != 0 ? table.frequency[s] : table.escape_frequency;
        cost += counts[s] * (bits_cost(prob_bits) - kLog2[frequency]);
    }
    return cost;
}

Cost entropy_cost(const Histogram& counts, std::uint64_t weight) noexcept {
    std::uint64_t total = 0;
    std::uint64_t n_symbols = 0;
    Cost saved = 0;
    for (const std::uint32_t count : counts) {
        total += count;
        n_symbols += count != 0;
        saved += n_log2(count);
    }
    return scale_entropy(total, n_symbols, saved, weight);
}

Cost estimate_cost(const Histogram& counts, std::uint64_t weight) noexcept {
    const auto [first, end] = find_range(counts);
    if (end - first <= 1) return bits_cost(10);
    std::uint64_t total = 0;
    std::uint64_t n_symbols = 0;
    std::uint32_t most = 0;
    for (unsigned s = first; s < end; ++s) {
        total += counts[s];
        n_symbols += counts[s] != 0;
        most = std::max(most, counts[s]);
    }
    const std::uint64_t reciprocal = (std::uint64_t{1} << (32 + kEstimateBits)) / total;
    std::uint64_t bits = 21;
    Cost saved = 0;
    for (unsigned s = first; s < end; ++s) bits += kEstimateTableBits[counts[s] * reciprocal >> 32];
    if (most < kNLog2.size()) {
        for (unsigned s = first; s < end; ++s) saved += kNLog2[counts[s]];
        saved <<= 1;
    } else {
        for (unsigned s = first; s < end; ++s) saved += n_log2(counts[s]);
    }
    return bits_cost(bits) + scale_entropy(total, n_symbols, saved, weight);
}

std::uint64_t count_escapes(const Histogram& counts, const Table& table) noexcept {
    std::uint64_t escapes = 0;
    for (unsigned s = 0; s < 256; ++s) escapes += table.frequency[s] == 0 ? counts[s] : 0;
    return escapes;
}

void write_table(BitWriter& writer, const Table& table) {
    writer.put(static_cast<std::uint32_t>(table.kind), 2);
    if (table.kind == TableKind::uniform) return;
    writer.put(table.first, 8);
    if (table.kind == TableKind::single) return;
    writer.put(table.count - 1u, table.has_escape() ? 4 : 8);
    writer.put(table.golomb_order, 3);
    for (const std::uint16_t frequency : range_frequencies(table)) writer.put_exp_golomb(frequency, table.golomb_order);
    if (table.has_escape()) writer.put_exp_golomb(table.escape_frequency, table.golomb_order);
}

Table read_table(BitReader& reader, unsigned prob_bits) {
    const auto kind = static_cast<TableKind>(reader.take(2));
    if (kind == TableKind::uniform) return make_uniform(prob_bits);
    if (kind == TableKind::single) return make_single(static_cast<std::uint8_t>(reader.take(8)), prob_bits);
    Table table;
    table.kind = kind;
    read_range(reader, table);
    std::uint32_t sum = table.escape_frequency;
    for (const std::uint16_t frequency : table.frequency) sum += frequency;
    require(sum == 1u << prob_bits, "a table's frequencies do not sum to its total");
    return table;
}

}  // namespace weightzip
