// The factors that tell best how large elements, or their changes, are.
#pragma once

#include <optional>

#include "block/elements.hpp"
#include "block/factors.hpp"

namespace weightzip {

// Fits base, row and column factors of each of the sections, for scales that contexts come from: the mean size of the
// differences to the predecessor, in its last places, or of the elements where nothing predicts them. In integers alone.
// Returns nothing if the scales vary too little for contexts.
// With for_sample, only what Sample takes needs to be right, and only rows that it touches are looked at.
std::optional<Factors> fit_scales(const Elements& elements, bool for_sample, const KernelSet& kernels);

}  // namespace weightzip
