#include "block/plan.hpp"

#include <algorithm>

namespace weightzip {
namespace {

// What a plane must save to be worth its decoding time, as a divisor of its raw size.
constexpr Cost kCodingWorth = 256;
constexpr Cost kContextsWorth = 256;
// How much dearer than the best table, in the same terms, a table with escape may be: it decodes without gathers.
constexpr Cost kEscapeWorth = 512;

constexpr std::size_t kElementsPerContext = 64;

constexpr Cost kStateBits = 32 * 32;
constexpr Cost kExceptionBits = 24;
constexpr Cost kExceptionCountBits = 40;  // with the odd byte, rounded up

Cost raw_cost(const PlaneCounts& counts) noexcept { return bits_cost(8 * counts.n_elements); }

Cost table_cost(const Histogram& counts, const Table& table, unsigned prob_bits) {
    return coding_cost(counts, table, prob_bits) + bits_cost(table_bits(table));
}

PlanePlan plan_raw(const PlaneCounts& counts) {
    PlanePlan plan;
    plan.cost = raw_cost(counts);
    return plan;
}

PlanePlan plan_one_table(const PlaneCounts& counts) {
    const Histogram total = counts.total();
    PlanePlan best;
    best.cost = ~Cost{0};
    for (unsigned prob_bits = kMaxProbBits; prob_bits >= kMinProbBits; prob_bits -= 2) {
        Table table = make_table(total, prob_bits);
        const Cost cost = table_cost(total, table, prob_bits) + bits_cost(kStateBits * counts.n_blocks);
        if (cost >= best.cost) continue;
        best = {PlaneMode::one_table, static_cast<std::uint8_t>(prob_bits), {std::move(table)}, cost};
    }
    Table escape = make_escape_table(total, kMaxProbBits);
    const std::uint64_t block_bits = (kStateBits + kExceptionCountBits) * counts.n_blocks;
    const std::uint64_t exception_bits = kExceptionBits * count_escapes(total, escape);
    const Cost cost = table_cost(total, escape, kMaxProbBits) + bits_cost(block_bits + exception_bits);
    const bool is_wide = best.tables[0].count > kMaxEscapeSymbols + 1;
    if (cost < best.cost || (is_wide && cost < best.cost + raw_cost(counts) / kEscapeWorth)) {
        best = {PlaneMode::one_table, kMaxProbBits, {std::move(escape)}, cost};
    }
    return best;
}

PlanePlan plan_contexts(const PlaneCounts& counts, const ContextMap& map) {
    const std::vector<Histogram> histograms = context_histograms(counts, map);
    PlanePlan best;
    best.cost = ~Cost{0};
    // 10 bits keep the tables of 16 contexts in 64 KiB; 11 where that saves something.
    for (const unsigned prob_bits : {10u, 11u}) {
        PlanePlan plan{PlaneMode::contexts, static_cast<std::uint8_t>(prob_bits), {}, 0};
        plan.cost = bits_cost(kStateBits * counts.n_blocks);
        for (const Histogram& histogram : histograms) {
            plan.tables.push_back(make_table(histogram, prob_bits));
            plan.cost += table_cost(histogram, plan.tables.back(), prob_bits);
        }
        if (plan.cost < best.cost - best.cost / 1024) best = std::move(plan);
    }
    return best;
}

// Planes that finest contexts would make notably smaller.
std::vector<std::size_t> find_context_planes(const GroupCounts& counts, std::size_t n_planes) {
    std::vector<std::size_t> planes;
    for (std::size_t k = 0; k < n_planes; ++k) {
        Cost split = 0;
        for (std::size_t key = 0; key < counts[k].n_rows(); ++key) split += entropy_cost(counts[k].row(key));
        const Cost whole = entropy_cost(counts[k].total());
        if (split + raw_cost(counts[k]) / kContextsWorth < whole) planes.push_back(k);
    }
    return planes;
}

// Replaces the plan of each of the planes by one with contexts where that is worth it; returns those.
std::vector<std::size_t> take_contexts(const GroupCounts& counts, const std::vector<std::size_t>& planes,
                                       GroupPlan& plan) {
    std::vector<std::size_t> taken;
    for (const std::size_t k : planes) {
        PlanePlan contexts = plan_contexts(counts[k], plan.contexts);
        if (contexts.cost + raw_cost(counts[k]) / kContextsWorth >= plan.planes[k].cost) continue;
        plan.planes[k] = std::move(contexts);
        taken.push_back(k);
    }
    return taken;
}

// Whether it is worth making tables at all: the random low planes of floats are not.
bool may_be_worth_coding(const PlaneCounts& counts) {
    if (counts.n_elements == 0) return false;
    const Cost raw = raw_cost(counts);
    return estimate_cost(counts.total()) < raw - raw / kCodingWorth;
}

GroupPlan plan_without_contexts(const GroupCounts& counts, std::size_t n_planes) {
    GroupPlan plan;
    for (std::size_t k = 0; k < n_planes; ++k) {
        plan.planes[k] = plan_raw(counts[k]);
        if (!may_be_worth_coding(counts[k])) continue;
        PlanePlan one = plan_one_table(counts[k]);
        if (one.cost + raw_cost(counts[k]) / kCodingWorth < plan.planes[k].cost) plan.planes[k] = std::move(one);
    }
    return plan;
}

}  // namespace

GroupPlan make_plan(const GroupCounts& counts, std::size_t n_planes, std::size_t n_elements, unsigned max_contexts) {
    const GroupPlan flat = plan_without_contexts(counts, n_planes);
    // A context that few elements have cannot pay for its table.
    max_contexts = static_cast<unsigned>(std::min<std::uint64_t>(max_contexts, n_elements / kElementsPerContext));
    if (max_contexts <= 1) return flat;
    std::vector<std::size_t> planes = find_context_planes(counts, n_planes);
    // Planes that turn out not to want contexts must not shape those of the others: once more without them.
    while (!planes.empty()) {
        GroupPlan plan = flat;
        plan.contexts = merge_contexts(counts, planes, max_contexts);
        if (plan.contexts.n_contexts == 1) break;
        std::vector<std::size_t> taken = take_contexts(counts, planes, plan);
        if (taken == planes) return plan;
        planes = std::move(taken);
    }
    return flat;
}

}  // namespace weightzip
