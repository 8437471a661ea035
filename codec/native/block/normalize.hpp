// From counts to frequencies that sum to a power of two.
#pragma once

#include <cstdint>
#include <span>

namespace weightzip {

// Sets frequencies so that they sum to 2^prob_bits, each above 0 exactly where its count is, at nearly the least
// cost. At least one count is above 0 and no more than 2^prob_bits are. Integers only: the result is the same
// everywhere.
void normalize_counts(std::span<const std::uint32_t> counts, unsigned prob_bits,
                      std::span<std::uint16_t> frequencies) noexcept;

}  // namespace weightzip
