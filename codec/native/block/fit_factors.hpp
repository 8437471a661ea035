// The factors that predict elements best.
#pragma once

#include "block/elements.hpp"
#include "block/factors.hpp"

namespace weightzip {

// Fits the weight of the predecessor (0 if there is none), and base, row and column factors of each of the sections.
// In integers alone: the same on every machine.
Factors fit_factors(const Elements& elements, const KernelSet& kernels);

}  // namespace weightzip
