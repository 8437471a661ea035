#include "block/normalize.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "block/log2.hpp"

namespace weightzip {
namespace {

constexpr std::uint32_t kFewSteps = 16;

// What one step of a frequency, from f to f + 1, saves.
Cost step_value(std::uint64_t count, std::uint32_t f) noexcept { return count * (kLog2[f + 1] - kLog2[f]); }

// A step of one symbol's frequency; the lower symbol goes first among equals.
struct Step {
    Cost priority;
    std::uint16_t symbol;

    bool operator<(const Step& other) const noexcept {
        return priority < other.priority || (priority == other.priority && symbol > other.symbol);
    }
};

// Takes n_steps steps, each time the one of the highest priority. prioritise(s) is that of the next step of symbol s.
template <typename Prioritise>
void take_steps(std::span<std::uint16_t> frequencies, std::uint32_t n_steps, int step,
                Prioritise&& prioritise) noexcept {
    std::array<Step, 256> heap;
    const std::span<Step> steps = std::span(heap).first(frequencies.size());
    for (std::uint16_t s = 0; s < steps.size(); ++s) steps[s] = {prioritise(s), s};
    std::make_heap(steps.begin(), steps.end());
    for (; n_steps > 0; --n_steps) {
        std::pop_heap(steps.begin(), steps.end());
        Step& best = steps.back();
        frequencies[best.symbol] = static_cast<std::uint16_t>(frequencies[best.symbol] + step);
        best.priority = prioritise(best.symbol);
        std::push_heap(steps.begin(), steps.end());
    }
}

// Raises frequencies where that saves most.
void raise(std::span<const std::uint32_t> counts, std::span<std::uint16_t> frequencies,
           std::uint32_t n_steps) noexcept {
    take_steps(frequencies, n_steps, 1, [&](std::uint16_t s) {
        return counts[s] == 0 ? 0 : step_value(counts[s], frequencies[s]);
    });
}

// Lowers frequencies where that costs least; those of 1 stay.
void lower(std::span<const std::uint32_t> counts, std::span<std::uint16_t> frequencies,
           std::uint32_t n_steps) noexcept {
    take_steps(frequencies, n_steps, -1, [&](std::uint16_t s) {
        return frequencies[s] < 2 ? 0 : ~step_value(counts[s], frequencies[s] - 1u);
    });
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
    if (sum < target) raise(counts, frequencies, target - sum);
    if (sum > target) lower(counts, frequencies, sum - target);
}

}  // namespace weightzip
