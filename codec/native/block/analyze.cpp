#include "block/analyze.hpp"

#include <algorithm>

#include "block/sample.hpp"

namespace weightzip {
namespace {

CountModes count_all(const Elements& elements, const EncodeOptions& options) {
    CountModes modes;
    modes.fill(CountMode::skip);
    for (std::size_t k = 0; k < elements.n_planes(); ++k) {
        modes[k] = options.max_contexts > 1 ? CountMode::by_key : CountMode::flat;
    }
    return modes;
}

std::uint32_t key_base_of(const Elements& elements, const EncodeOptions& options) {
    return options.max_contexts > 1 ? choose_key_base(elements, options.key_shift) : 0;
}

struct SampledCounts {
    GroupCounts counts;
    Analysis analysis;
};

SampledCounts count_sample(const Elements& elements, const EncodeOptions& options) {
    const Sample sample(elements);
    SampledCounts result;
    result.analysis.key_base = key_base_of(elements, options);
    result.counts = count_planes(sample.elements(), count_all(elements, options), result.analysis.key_base, options);
    for (std::size_t k = 0; k < elements.n_planes(); ++k) {
        result.counts[k].scale(elements.n_elements, sample.elements().n_elements);
    }
    result.analysis.plan = make_plan(result.counts, elements.n_planes(), elements.n_elements, options.max_contexts);
    return result;
}

// A table with escape codes every symbol, also those that the sample lacks.
bool is_settled(const PlanePlan& plan) noexcept {
    return plan.mode == PlaneMode::raw || (plan.mode == PlaneMode::one_table && plan.tables[0].has_escape());
}

// What still needs counting after the sample: not the planes that are settled, and keys only where contexts pay.
// A plane that is constant in the sample says nothing about the rest.
CountModes modes_after(const SampledCounts& sampled, const Elements& elements, const EncodeOptions& options) {
    CountModes modes = count_all(elements, options);
    for (std::size_t k = 0; k < elements.n_planes(); ++k) {
        if (sampled.counts[k].n_elements == 0) continue;
        const PlanePlan& plan = sampled.analysis.plan.planes[k];
        if (plan.mode == PlaneMode::one_table) modes[k] = CountMode::flat;
        if (is_settled(plan)) modes[k] = CountMode::skip;
    }
    return modes;
}

}  // namespace

Analysis analyze_sample(const Elements& elements, const EncodeOptions& options) {
    return count_sample(elements, options).analysis;
}

Analysis analyze_elements(const Elements& elements, const EncodeOptions& options) {
    SampledCounts sampled = count_sample(elements, options);
    Analysis& first = sampled.analysis;
    if (elements.n_elements <= kSampleElements) return std::move(first);
    const CountModes modes = modes_after(sampled, elements, options);
    if (std::all_of(modes.begin(), modes.end(), [](CountMode mode) { return mode == CountMode::skip; })) {
        return std::move(first);
    }
    const GroupCounts counts = count_planes(elements, modes, first.key_base, options);
    Analysis analysis;
    analysis.key_base = first.key_base;
    analysis.plan = make_plan(counts, elements.n_planes(), elements.n_elements, options.max_contexts);
    for (std::size_t k = 0; k < elements.n_planes(); ++k) {
        if (modes[k] == CountMode::skip) analysis.plan.planes[k] = std::move(first.plan.planes[k]);
    }
    return analysis;
}

}  // namespace weightzip
