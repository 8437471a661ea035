// How much of the variation within a matrix its predecessor explains, from a few elements.
#pragma once

#include <cstdint>

#include "block/elements.hpp"

namespace weightzip {

// What is left of logarithms when all effects of row and column are taken out.
struct Variation {
    unsigned weight = 0;          // of the predecessor's logarithm, in 1/16; 0 without a predecessor
    std::uint64_t deviation = 0;  // of the rest from its mean: 16 times the standard deviation, about
};

// Looks at contrasts: y(i, j) - y(i', j) - y(i, j') + y(i', j') has no effect of a row or a column in it. Deterministic.
Variation find_variation(const Elements& elements, const KernelSet& kernels);

}  // namespace weightzip
