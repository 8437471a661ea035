#include "block/normalize.hpp"

#include <algorithm>
#include <cstddef>

#include "block/log2.hpp"

namespace weightzip {
namespace {

constexpr std::uint32_t kFewSteps = 16;

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

// Sets each frequency to its exact share, plus offset / 256, rounded down, and returns their sum.
std::uint32_t set_shares(std::span<const std::uint64_t> counts, std::uint64_t total, unsigned prob_bits,
                         std::uint64_t offset, std::span<std::uint16_t> frequencies) noexcept {
    std::uint32_t sum = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        const std::uint64_t share = ((counts[s] << prob_bits) + total * offset / 256) / total;
        frequencies[s] = static_cast<std::uint16_t>(counts[s] == 0 ? 0 : std::max<std::uint64_t>(share, 1));
        sum += frequencies[s];
    }
    return sum;
}

}  // namespace

void normalize_counts(std::span<const std::uint64_t> counts, unsigned prob_bits,
                      std::span<std::uint16_t> frequencies) noexcept {
    std::uint64_t total = 0;
    for (const std::uint64_t count : counts) total += count;
    const std::uint32_t target = 1u << prob_bits;
    // Rounding to the nearest comes close; where many counts are alike it may not, and single steps would be many.
    std::uint32_t sum = set_shares(counts, total, prob_bits, 128, frequencies);
    if (sum + kFewSteps < target || sum > target + kFewSteps) {
        std::uint64_t offset = 0;
        for (std::uint64_t step = 128; step != 0; step /= 2) {
            if (set_shares(counts, total, prob_bits, offset + step, frequencies) <= target) offset += step;
        }
        sum = set_shares(counts, total, prob_bits, offset, frequencies);
    }
    for (; sum < target; ++sum) raise_one(counts, frequencies);
    for (; sum > target; --sum) lower_one(counts, frequencies);
}

}  // namespace weightzip
