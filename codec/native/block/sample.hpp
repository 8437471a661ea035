// A deterministic sample of elements, for decisions that need not see everything.
#pragma once

#include <vector>

#include "block/elements.hpp"

namespace weightzip {

inline constexpr std::size_t kSampleElements = std::size_t{1} << 14;

// Whether the sample of n_elements has any of the elements begin to end - 1.
bool is_sampled(std::size_t n_elements, std::size_t begin, std::size_t end) noexcept;

// Copies of evenly spread runs of elements; everything if there are at most kSampleElements. Predicted elements are
// worked out: the predictor of the sample is none or predecessor, its contexts come from a companion or from nothing.
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
