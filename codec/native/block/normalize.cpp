#include "block/normalize.hpp"

#include <algorithm>
#include <cstddef>

#include "block/log2.hpp"

namespace weightzip {
namespace {

// What one step of this symbol's frequency, from f to f + 1, saves.
Cost step_value(std::uint64_t count, std::uint32_t f) noexcept { return count * (kLog2[f + 1] - kLog2[f]); }

// Raises the frequency where it saves most.
void raise_one(std::span<const std::uint64_t> counts, std::span<std::uint16_t> frequencies) noexcept {
    std::size_t best = 0;
    Cost best_value = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        if (counts[s] == 0) continue;
        const Cost value = step_value(counts[s], frequencies[s]);
        if (value > best_value) best = s, best_value = value;
    }
    ++frequencies[best];
}

// Lowers the frequency where it costs least.
void lower_one(std::span<const std::uint64_t> counts, std::span<std::uint16_t> frequencies) noexcept {
    std::size_t best = 0;
    Cost best_value = ~Cost{0};
    for (std::size_t s = 0; s < counts.size(); ++s) {
        if (frequencies[s] < 2) continue;
        const Cost value = step_value(counts[s], frequencies[s] - 1u);
        if (value < best_value) best = s, best_value = value;
    }
    --frequencies[best];
}

}  // namespace

void normalize_counts(std::span<const std::uint64_t> counts, unsigned prob_bits,
                      std::span<std::uint16_t> frequencies) noexcept {
    std::uint64_t total = 0;
    for (const std::uint64_t count : counts) total += count;
    const std::uint32_t target = 1u << prob_bits;
    std::uint32_t sum = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        const std::uint64_t rounded = ((counts[s] << prob_bits) + total / 2) / total;
        frequencies[s] = static_cast<std::uint16_t>(counts[s] == 0 ? 0 : std::max<std::uint64_t>(rounded, 1));
        sum += frequencies[s];
    }
    for (; sum < target; ++sum) raise_one(counts, frequencies);
    for (; sum > target; --sum) lower_one(counts, frequencies);
}

}  // namespace weightzip
