#include "block/sample.hpp"

namespace weightzip {
namespace {

constexpr std::size_t kRunElements = 256;

}  // namespace

Sample::Sample(const Elements& all) : elements_(all) {
    if (all.n_elements <= kSampleElements) return;
    constexpr std::size_t n_runs = kSampleElements / kRunElements;
    const std::size_t run_bytes = kRunElements << all.element_log2;
    raw_.reserve(n_runs * run_bytes);
    for (std::size_t run = 0; run < n_runs; ++run) {
        const std::size_t element = (all.n_elements - kRunElements) * run / (n_runs - 1);
        raw_.insert(raw_.end(), all.raw_at(element), all.raw_at(element) + run_bytes);
        if (all.predecessor == nullptr) continue;
        predecessor_.insert(predecessor_.end(), all.predecessor_at(element), all.predecessor_at(element) + run_bytes);
    }
    elements_.raw = raw_.data();
    elements_.predecessor = all.predecessor == nullptr ? nullptr : predecessor_.data();
    elements_.n_elements = kSampleElements;
}

}  // namespace weightzip
