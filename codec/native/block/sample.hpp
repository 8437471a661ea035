// A deterministic sample of elements, for decisions that need not see everything.
#pragma once

#include <vector>

#include "block/elements.hpp"

namespace weightzip {

inline constexpr std::size_t kSampleElements = std::size_t{1} << 14;

// Copies of evenly spread runs of elements; everything if there are at most kSampleElements.
class Sample {
public:
    explicit Sample(const Elements& all);

    const Elements& elements() const noexcept { return elements_; }

private:
    std::vector<std::uint8_t> raw_;
    std::vector<std::uint8_t> predecessor_;
    Elements elements_;
};

}  // namespace weightzip
