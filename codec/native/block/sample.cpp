#include "block/sample.hpp"

#include <algorithm>

#include "block/predict.hpp"

namespace weightzip {
namespace {

constexpr std::size_t kRunElements = 256;
constexpr std::size_t kRuns = kSampleElements / kRunElements;

// The first element of a run in the sample of more than kSampleElements.
std::size_t run_begin(std::size_t n_elements, std::size_t run) noexcept {
    return (n_elements - kRunElements) * run / (kRuns - 1);
}

void append_run(std::vector<std::uint8_t>& bytes, const std::uint8_t* from, std::size_t n, unsigned element_log2) {
    bytes.insert(bytes.end(), from, from + (n << element_log2));
}

}  // namespace

bool is_sampled(std::size_t n_elements, std::size_t begin, std::size_t end) noexcept {
    if (n_elements <= kSampleElements) return true;
    // The run that begins last before the end is this one or the next.
    std::size_t run = std::min((end - 1) * (kRuns - 1) / (n_elements - kRunElements), kRuns - 1);
    if (run + 1 < kRuns && run_begin(n_elements, run + 1) < end) ++run;
    return run_begin(n_elements, run) + kRunElements > begin;
}

Sample::Sample(const Elements& all, const KernelSet& kernels) : elements_(all) {
    const bool is_all = all.n_elements <= kSampleElements;
    if (is_all && !all.has_factors()) return;
    const bool has_context = all.context_input != ContextInput::none;
    const std::size_t n_runs = is_all ? 1 : kRuns;
    const std::size_t run_elements = is_all ? all.n_elements : kRunElements;
    Prediction prediction;
    for (std::size_t run = 0; run < n_runs; ++run) {
        const std::size_t first = is_all ? 0 : run_begin(all.n_elements, run);
        append_run(raw_, all.raw_at(first), run_elements, all.element_log2);
        const std::uint8_t* predicted = all.predecessor_at(first);
        const std::uint8_t* context = has_context ? all.context_at(first) : nullptr;
        if (all.has_factors()) {
            const std::uint8_t* scales =
                prediction.predict(*all.factors, predicted, first, run_elements, all.element_log2, kernels);
            if (all.predictor == Predictor::factors) predicted = scales;
            if (all.context_input == ContextInput::scale) context = scales;
        }
        if (predicted != nullptr) append_run(predicted_, predicted, run_elements, all.element_log2);
        if (has_context) append_run(context_, context, run_elements, all.context_log2());
    }
    elements_.n_elements = n_runs * run_elements;
    elements_.raw = raw_.data();
    elements_.predecessor = predicted_.empty() ? nullptr : predicted_.data();
    if (all.predictor == Predictor::factors) elements_.predictor = Predictor::predecessor;
    // Contexts by what the sample calls its companion.
    elements_.companion_log2 = static_cast<std::uint8_t>(all.context_log2());
    elements_.companion = has_context ? context_.data() : nullptr;
    if (has_context) elements_.context_input = ContextInput::companion;
}

}  // namespace weightzip
