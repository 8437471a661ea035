// From elements to a plan: counting, with a sample first where there is much to count.
#pragma once

#include "block/elements.hpp"
#include "block/plan.hpp"

namespace weightzip {

struct Analysis {
    std::uint32_t key_base = 0;
    GroupPlan plan;
};

// Counts everything that matters and decides.
Analysis analyze_elements(const Elements& elements, const EncodeOptions& options);

// Decides from the sample alone, with counts scaled to the whole. Good for an estimate only: a symbol that is not
// in the sample may have no frequency.
Analysis analyze_sample(const Elements& elements, const EncodeOptions& options);

}  // namespace weightzip
