// From elements to a plan: counting, with a sample first where there is much to count.
#pragma once

#include "block/elements.hpp"
#include "block/plan.hpp"

namespace weightzip {

struct Analysis {
    std::uint32_t key_base = 0;
    GroupPlan plan;
};

// Decides what needs no exact counts from a sample, counts what does, and decides that too: every symbol that occurs
// can be coded.
Analysis analyze_elements(const Elements& elements, const EncodeOptions& options);

// What a sample says alone: good for an estimate.
ContextChoice analyze_sample(const Elements& elements, const EncodeOptions& options);

}  // namespace weightzip
