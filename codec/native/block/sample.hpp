// A deterministic sample of elements, for decisions that need not see everything.
#pragma once

#include <vector>

#include "block/elements.hpp"

namespace weightzip {

inline constexpr std::size_t kSampleElements = std::size_t{1} << 14;

// Copies of evenly spread runs of elements; everything if there are at most kSampleElements. Predicted elements are
// worked out: the predictor of the sample is none or predecessor, and its contexts do not come from factors.
class Sample {
public:
    Sample(const Elements& all, const KernelSet& kernels);

    const Elements& elements() const noexcept { return elements_; }

private:
    std::vector<std::uint8_t> raw_;
    std::vector<std::uint8_t> predicted_;
    std::vector<std::uint8_t> context_;
    Elements elements_;
};

}  // namespace weightzip
