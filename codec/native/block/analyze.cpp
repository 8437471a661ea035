#include "block/analyze.hpp"

#include <algorithm>

#include "block/sample.hpp"

namespace weightzip {
namespace {

struct SampledCounts {
    std::uint32_t key_base = 0;
    GroupCounts counts;
    ContextChoice contexts;
};

SampledCounts count_sample(const Elements& elements, const EncodeOptions& options) {
    const Sample sample(elements, *options.kernels);
    const std::size_t n_planes = elements.n_planes();
    SampledCounts result;
    CountModes modes;
    modes.fill(options.max_contexts > 1 ? CountMode::by_key : CountMode::flat);
    if (options.max_contexts > 1) result.key_base = choose_key_base(sample.elements(), options.key_shift);
    result.counts = count_planes(sample.elements(), modes, {result.key_base}, options);
    if (sample.elements().n_elements < elements.n_elements) {
        for (std::size_t k = 0; k < n_planes; ++k) {
            result.counts[k].represent(elements.n_elements, sample.elements().n_elements);
        }
    }
    result.contexts = choose_contexts(result.counts, n_planes, elements.n_elements, options.max_contexts);
    return result;
}

// The plan if the sample is everything.
GroupPlan plan_from_all(const SampledCounts& all, std::size_t n_planes) {
    GroupPlan plan;
    plan.contexts = all.contexts.map;
    for (std::size_t k = 0; k < n_planes; ++k) {
        const PlaneCounts& counts = all.counts[k];
        plan.planes[k] = all.contexts.is_used_by(k)
                             ? plan_plane(counts, context_histograms(counts, plan.contexts))
                             : plan_plane(counts);
    }
    return plan;
}

// A table with escape codes every symbol, also those that the sample lacks.
bool is_settled(const PlanePlan& plan) noexcept {
    return plan.mode == PlaneMode::raw || (plan.mode == PlaneMode::one_table && plan.tables[0].has_escape());
}

// The plan from the sample where that settles it, and from exact counts where it does not.
// A plane that is constant in the sample says nothing about the rest.
GroupPlan plan_from_sample(const SampledCounts& sampled, const Elements& elements, const EncodeOptions& options) {
    GroupPlan plan;
    plan.contexts = sampled.contexts.map;
    CountModes modes;
    modes.fill(CountMode::skip);
    for (std::size_t k = 0; k < elements.n_planes(); ++k) {
        modes[k] = sampled.contexts.is_used_by(k) ? CountMode::by_key : CountMode::flat;
        if (modes[k] == CountMode::by_key || sampled.counts[k].n_elements == 0) continue;
        plan.planes[k] = plan_plane(sampled.counts[k]);
        if (is_settled(plan.planes[k])) modes[k] = CountMode::skip;
    }
    if (std::all_of(modes.begin(), modes.end(), [](CountMode mode) { return mode == CountMode::skip; })) return plan;
    const ByteMap context_of_key = make_byte_map(plan.contexts.context_of_key.data());
    const RowSource source{sampled.key_base, &context_of_key, plan.contexts.n_contexts};
    const GroupCounts counts = count_planes(elements, modes, source, options);
    for (std::size_t k = 0; k < elements.n_planes(); ++k) {
        if (modes[k] == CountMode::flat) plan.planes[k] = plan_plane(counts[k]);
        if (modes[k] != CountMode::by_key) continue;
        std::vector<Histogram> contexts;
        for (std::size_t c = 0; c < counts[k].n_rows(); ++c) contexts.push_back(counts[k].row(c));
        contexts.resize(plan.contexts.n_contexts);
        plan.planes[k] = plan_plane(counts[k], contexts);
    }
    return plan;
}

void add_low_contexts(GroupPlan& plan, const Elements& elements, const EncodeOptions& options) {
    CountModes modes;
    modes.fill(CountMode::by_top);
    modes[0] = CountMode::skip;
    const GroupCounts counts = count_planes(elements, modes, {}, options);
    plan_low_contexts(plan, counts, elements.n_planes(), options.max_low_contexts);
}

void drop_unused_contexts(GroupPlan& plan) {
    const auto uses = [](const PlanePlan& plane) { return plane.mode == PlaneMode::contexts; };
    if (std::none_of(plan.planes.begin(), plan.planes.end(), uses)) plan.contexts = {};
}

}  // namespace

ContextChoice analyze_sample(const Elements& elements, const EncodeOptions& options) {
    return count_sample(elements, options).contexts;
}

Analysis analyze_elements(const Elements& elements, const EncodeOptions& options) {
    const SampledCounts sampled = count_sample(elements, options);
    const bool is_all = elements.n_elements <= kSampleElements;
    Analysis analysis{sampled.key_base, is_all ? plan_from_all(sampled, elements.n_planes())
                                               : plan_from_sample(sampled, elements, options)};
    if (options.max_low_contexts > 1) add_low_contexts(analysis.plan, elements, options);
    drop_unused_contexts(analysis.plan);
    return analysis;
}

}  // namespace weightzip
