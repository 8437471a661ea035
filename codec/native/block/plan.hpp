// What the encoder decides about a group: contexts, and how each plane is coded with which tables.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "block/counts.hpp"
#include "block/merge.hpp"
#include "block/table.hpp"

namespace weightzip {

enum class PlaneMode : std::uint8_t { raw = 0, one_table = 1, contexts = 2 };

struct PlanePlan {
    PlaneMode mode = PlaneMode::raw;
    std::uint8_t prob_bits = 0;
    std::vector<Table> tables;
    Cost cost = 0;  // of all blocks, with the tables
};

struct GroupPlan {
    ContextMap contexts;
    std::array<PlanePlan, kMaxPlanes> planes;
};

// Decides by integer cost alone. counts must hold one row a plane, or rows by key where contexts are allowed.
GroupPlan make_plan(const GroupCounts& counts, std::size_t n_planes, std::size_t n_elements, unsigned max_contexts);

}  // namespace weightzip
