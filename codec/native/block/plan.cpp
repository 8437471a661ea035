#include "block/plan.hpp"

#include <algorithm>

namespace weightzip {
namespace {

// What a plane must save to be worth its decoding time, as a divisor of its raw size.
constexpr Cost kCodingWorth = 256;
constexpr Cost kContextsWorth = 256;
// What other prob_bits must save to be worth trying or taking, as a divisor of the cost.
constexpr Cost kPrecisionWorth = 1024;
// How much dearer than the best table, in the same terms, a table with escape may be: it decodes without gathers.
constexpr Cost kEscapeWorth = 512;

// What low contexts must save: they are asked for where bytes are dearer than time.
constexpr Cost kLowContextsWorth = 1024;

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
        // Coarser frequencies save bits of the table alone.
        if (!best.tables.empty() && bits_cost(table_bits(best.tables[0])) < best.cost / kPrecisionWorth) break;
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

PlanePlan plan_tables(const PlaneCounts& counts, const std::vector<Histogram>& contexts, PlaneMode mode,
                      unsigned prob_bits) {
    PlanePlan plan{mode, static_cast<std::uint8_t>(prob_bits), {}, bits_cost(kStateBits * counts.n_blocks)};
    for (const Histogram& context : contexts) {
        plan.tables.push_back(make_table(context, prob_bits));
        plan.cost += table_cost(context, plan.tables.back(), prob_bits);
    }
    return plan;
}

PlanePlan plan_contexts(const PlaneCounts& counts, const std::vector<Histogram>& contexts) {
    PlanePlan best;
    best.cost = ~Cost{0};
    Cost least = bits_cost(kStateBits * counts.n_blocks);
    for (const Histogram& context : contexts) least += entropy_cost(context);
    // 10 bits keep the tables of 16 contexts in 64 KiB; 11 where that saves something.
    for (const unsigned prob_bits : {10u, 11u}) {
        if (least >= best.cost - best.cost / kPrecisionWorth) break;
        PlanePlan plan = plan_tables(counts, contexts, PlaneMode::contexts, prob_bits);
        if (plan.cost < best.cost - best.cost / kPrecisionWorth) best = std::move(plan);
    }
    return best;
}

// About what a plane costs without contexts.
Cost estimate_flat(const PlaneCounts& counts) {
    if (counts.n_elements == 0) return 0;
    const Cost raw = raw_cost(counts);
    const Cost coded = estimate_cost(counts.total()) + bits_cost(kStateBits * counts.n_blocks);
    return coded < raw - raw / kCodingWorth ? coded : raw;
}

Cost estimate_contexts(const PlaneCounts& counts, const ContextMap& map) {
    Cost cost = bits_cost(kStateBits * counts.n_blocks);
    for (const Histogram& context : context_histograms(counts, map)) cost += estimate_cost(context, counts.weight);
    return cost;
}

// Planes that finest contexts would make notably smaller.
std::vector<std::size_t> find_context_planes(const GroupCounts& counts, std::size_t n_planes, Cost worth) {
    std::vector<std::size_t> planes;
    for (std::size_t k = 0; k < n_planes; ++k) {
        Cost split = 0;
        for (std::size_t key = 0; key < counts[k].n_rows(); ++key) {
            split += entropy_cost(counts[k].row(key), counts[k].weight);
        }
        const Cost whole = entropy_cost(counts[k].total());
        if (split + raw_cost(counts[k]) / worth < whole) planes.push_back(k);
    }
    return planes;
}

}  // namespace

bool ContextChoice::is_used_by(std::size_t plane) const noexcept {
    return std::find(planes.begin(), planes.end(), plane) != planes.end();
}

std::vector<Histogram> context_histograms(const PlaneCounts& counts, const ContextMap& map) {
    std::vector<Histogram> histograms(map.n_contexts, Histogram{});
    for (std::size_t key = 0; key < counts.n_rows(); ++key) {
        Histogram& histogram = histograms[map.context_of_key[key]];
        for (std::size_t s = 0; s < 256; ++s) histogram[s] += counts.rows[256 * key + s];
    }
    return histograms;
}

ContextChoice choose_contexts(const GroupCounts& counts, std::size_t n_planes, std::size_t n_elements,
                              unsigned max_contexts) {
    ContextChoice flat;
    for (std::size_t k = 0; k < n_planes; ++k) flat.costs[k] = estimate_flat(counts[k]);
    // A context that few elements have cannot pay for its table.
    max_contexts = static_cast<unsigned>(std::min<std::uint64_t>(max_contexts, n_elements / kElementsPerContext));
    if (max_contexts <= 1) return flat;
    std::vector<std::size_t> planes = find_context_planes(counts, n_planes, kContextsWorth);
    // Planes that turn out not to want contexts must not shape those of the others: once more without them.
    while (!planes.empty()) {
        ContextChoice choice = flat;
        choice.map = merge_contexts(counts, planes, max_contexts);
        if (choice.map.n_contexts == 1) {
            // Of few elements, even random low planes seem to want contexts, and none pays for their tables.
            planes.pop_back();
            continue;
        }
        for (const std::size_t k : planes) {
            const Cost cost = estimate_contexts(counts[k], choice.map);
            if (cost + raw_cost(counts[k]) / kContextsWorth >= flat.costs[k]) continue;
            choice.costs[k] = cost;
            choice.planes.push_back(k);
        }
        if (choice.planes == planes) return choice;
        planes = std::move(choice.planes);
    }
    return flat;
}

PlanePlan plan_plane(const PlaneCounts& counts) {
    PlanePlan raw = plan_raw(counts);
    // The random low planes of floats are not worth making tables at all. A sample of them looks more orderly than they
    // are, which would have many counted in full for nothing.
    const Cost worth_trying = raw.cost - raw.cost / kCodingWorth;
    if (counts.n_elements == 0 || estimate_cost(counts.sum(), counts.weight) >= worth_trying) return raw;
    PlanePlan one = plan_one_table(counts);
    return one.cost + raw.cost / kCodingWorth < raw.cost ? one : raw;
}

void plan_low_contexts(GroupPlan& plan, const GroupCounts& counts, std::size_t n_planes, unsigned max_contexts) {
    const std::vector<std::size_t> planes = find_context_planes(counts, n_planes, kLowContextsWorth);
    if (planes.empty()) return;
    const ContextMap map = merge_contexts(counts, planes, max_contexts);
    if (map.n_contexts == 1) return;
    for (const std::size_t k : planes) {
        const std::vector<Histogram> contexts = context_histograms(counts[k], map);
        for (unsigned prob_bits = kMinProbBits + 2; prob_bits <= kMaxProbBits; ++prob_bits) {
            PlanePlan low = plan_tables(counts[k], contexts, PlaneMode::low_contexts, prob_bits);
            if (low.cost + raw_cost(counts[k]) / kLowContextsWorth >= plan.planes[k].cost) continue;
            plan.planes[k] = std::move(low);
            plan.low_contexts = map;
        }
    }
}

PlanePlan plan_plane(const PlaneCounts& counts, const std::vector<Histogram>& contexts) {
    if (counts.n_elements == 0) return plan_raw(counts);
    PlanePlan plan = plan_contexts(counts, contexts);
    if (plan.cost + raw_cost(counts) / kContextsWorth < estimate_flat(counts)) return plan;
    return plan_plane(counts);
}

}  // namespace weightzip
