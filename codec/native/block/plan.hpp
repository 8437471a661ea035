// What the encoder decides about a group: contexts, and how each plane is coded with which tables.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "block/counts.hpp"
#include "block/layout.hpp"
#include "block/merge.hpp"
#include "block/table.hpp"

namespace weightzip {

struct PlanePlan {
    PlaneMode mode = PlaneMode::raw;
    std::uint8_t prob_bits = 0;
    std::vector<Table> tables;
    Cost cost = 0;  // of all blocks, with the tables
};

struct GroupPlan {
    ContextMap contexts;
    ContextMap low_contexts;  // by the byte of the top plane; one: there are none
    std::array<PlanePlan, kMaxPlanes> planes;
};

// The contexts of a group and the planes that use them.
struct ContextChoice {
    ContextMap map;
    std::vector<std::size_t> planes;  // ascending; empty: no contexts
    // About what coding each plane costs, with contexts where they are used.
    std::array<Cost, kMaxPlanes> costs{};

    bool is_used_by(std::size_t plane) const noexcept;
};

// Decides by integer cost alone, without making tables. counts hold one row a plane, or rows by key where contexts
// are allowed.
ContextChoice choose_contexts(const GroupCounts& counts, std::size_t n_planes, std::size_t n_elements,
                              unsigned max_contexts);

// Adds up the rows of the keys of each context.
std::vector<Histogram> context_histograms(const PlaneCounts& counts, const ContextMap& map);

// The best plan for a plane without contexts.
PlanePlan plan_plane(const PlaneCounts& counts);

// Gives planes below the top one low contexts where that is worth it. counts hold rows by the byte of the top plane for
// all planes but that.
void plan_low_contexts(GroupPlan& plan, const GroupCounts& counts, std::size_t n_planes, unsigned max_contexts);

// The best plan for a plane whose counts by context are known: with contexts only where that is worth it.
PlanePlan plan_plane(const PlaneCounts& counts, const std::vector<Histogram>& contexts);

}  // namespace weightzip
