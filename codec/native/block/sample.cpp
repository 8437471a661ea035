#include "block/sample.hpp"

#include <algorithm>

#include "block/predict.hpp"

namespace weightzip {
namespace {

constexpr std::size_t kRunElements = 256;

void append_run(std::vector<std::uint8_t>& bytes, const std::uint8_t* from, std::size_t n, unsigned element_log2) {
    bytes.insert(bytes.end(), from, from + (n << element_log2));
}

}  // namespace

Sample::Sample(const Elements& all, const KernelSet& kernels) : elements_(all) {
    const bool is_all = all.n_elements <= kSampleElements;
    const bool predicts = all.predictor == Predictor::factors;
    if (is_all && !predicts) return;
    const bool has_context =
        all.context_input == ContextInput::predecessor || all.context_input == ContextInput::companion;
    const std::size_t n_runs = is_all ? 1 : kSampleElements / kRunElements;
    const std::size_t run_elements = is_all ? all.n_elements : kRunElements;
    Prediction prediction;
    for (std::size_t run = 0; run < n_runs; ++run) {
        const std::size_t first = is_all ? 0 : (all.n_elements - run_elements) * run / (n_runs - 1);
        append_run(raw_, all.raw_at(first), run_elements, all.element_log2);
        const std::uint8_t* predicted = all.predecessor_at(first);
        if (predicts) {
            predicted = prediction.predict(*all.factors, predicted, first, run_elements, all.element_log2, kernels);
        }
        if (predicted != nullptr) append_run(predicted_, predicted, run_elements, all.element_log2);
        if (has_context) append_run(context_, all.context_at(first), run_elements, all.context_log2());
    }
    elements_.n_elements = n_runs * run_elements;
    elements_.raw = raw_.data();
    elements_.predecessor = predicted_.empty() ? nullptr : predicted_.data();
    if (predicts) elements_.predictor = Predictor::predecessor;
    // Contexts by what the sample calls its companion, or by what was predicted.
    elements_.companion_log2 = static_cast<std::uint8_t>(all.context_log2());
    elements_.companion = has_context ? context_.data() : nullptr;
    if (all.context_input != ContextInput::none) {
        elements_.context_input = has_context ? ContextInput::companion : ContextInput::predecessor;
    }
}

}  // namespace weightzip
