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
void raise_one(std::span<const std::uint32_t> counts, std::span<std::uint16_t> frequencies) noexcept {
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
void lower_one(std::span<const std::uint32_t> counts, std::span<std::uint16_t> frequencies) noexcept {
    std::size_t best = 0;
    Cost best_value = ~Cost{0};
    for (std::size_t s = 0; s < counts.size(); ++s) {
        if (frequencies[s] < 2) continue;
        const Cost value = step_value(counts[s], frequencies[s] - 1u);
        if (value < best_value) best = s, best_value = value;
    }
    --frequencies[best];
}

// Sets each frequency to its share, plus offset / 256, rounded down, and returns their sum. scale is 2^(32 + prob_bits)
// divided by the total, rounded down: shares are exact but for the last place, without a division each.
std::uint32_t set_shares(std::span<const std::uint32_t> counts, std::uint64_t scale, std::uint64_t offset,
                         std::span<std::uint16_t> frequencies) noexcept {
    std::uint32_t sum = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        const auto share = static_cast<std::uint32_t>((counts[s] * scale + (offset << 24)) >> 32);
        const std::uint32_t frequency = counts[s] == 0 ? 0 : std::max(share, 1u);
        frequencies[s] = static_cast<std::uint16_t>(frequency);
        sum += frequency;
    }
    return sum;
}

}  // namespace

void normalize_counts(std::span<const std::uint32_t> counts, unsigned prob_bits,
                      std::span<std::uint16_t> frequencies) noexcept {
    std::uint64_t total = 0;
    for (const std::uint32_t count : counts) total += count;
    const std::uint32_t target = 1u << prob_bits;
    const std::uint64_t scale = (std::uint64_t{1} << (32 + prob_bits)) / total;
    // Rounding to the nearest comes close; where many counts are alike it may not, and single steps would be many.
    std::uint32_t sum = set_shares(counts, scale, 128, frequencies);
    if (sum + kFewSteps < target || sum > target + kFewSteps) {
        std::uint64_t offset = 0;
        for (std::uint64_t step = 128; step != 0; step /= 2) {
            if (set_shares(counts, scale, offset + step, frequencies) <= target) offset += step;
        }
        sum = set_shares(counts, scale, offset, frequencies);
    }
    for (; sum < target; ++sum) raise_one(counts, frequencies);
    for (; sum > target; --sum) lower_one(counts, frequencies);
}

}  // namespace weightzip
