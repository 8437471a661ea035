#include "block/contrasts.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "block/factors.hpp"

namespace weightzip {
namespace {

// Enough to know the weight to a 16th.
constexpr std::size_t kContrasts = 4096;
// The log of an element that is zero, or nearly: it follows no law.
constexpr std::int32_t kLogOfNothing = 1;

struct Contrast {
    std::int64_t element;
    std::int64_t predecessor;
};

// The logarithms of single elements and their predecessors.
class Logs {
public:
    Logs(const Elements& elements, const KernelSet& kernels)
        : elements_(elements), log_(kernels.elementwise->logs[elements.element_log2]) {}

    // Adds the contrast of four elements, the corners of a rectangle row by row, unless one of them is zero.
    void add(std::vector<Contrast>& contrasts, const std::size_t (&places)[4]) const {
        Contrast contrast{0, 0};
        for (std::size_t c = 0; c < 4; ++c) {
            const std::int32_t x = log(elements_.raw_at(places[c]));
            const std::int32_t p = elements_.predecessor == nullptr ? 0 : log(elements_.predecessor_at(places[c]));
            if (x == kLogOfNothing || p == kLogOfNothing) return;
            const std::int32_t sign = c == 0 || c == 3 ? 1 : -1;
            contrast.element += sign * x;
            contrast.predecessor += sign * p;
        }
        contrasts.push_back(contrast);
    }

private:
    std::int32_t log(const std::uint8_t* element) const noexcept {
        std::int32_t result;
        log_(element, &result, 1, elements_.mantissa_bits);
        return result;
    }

    const Elements& elements_;
    LogKernel log_;
};

// Places spread over n, without a period that could fall together with one of the elements.
std::size_t spread(std::size_t k, std::size_t n) noexcept {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
    return static_cast<std::size_t>((k * golden >> 32) * n >> 32);
}

void add_contrasts(std::vector<Contrast>& contrasts, const Logs& logs, const Section& section, std::size_t first,
                   std::size_t n_wanted) {
    // Without columns, or with less than two whole rows: as if the elements stood in two rows.
    const std::size_t to_row = section.first_column == 0 ? 0 : section.n_columns - section.first_column;
    const std::size_t whole = section.n_elements > to_row ? section.n_elements - to_row : 0;
    const bool is_matrix = section.n_columns > 1 && whole / section.n_columns > 1;
    const std::size_t n_columns = is_matrix ? section.n_columns : section.n_elements / 2;
    const std::size_t n_rows = is_matrix ? whole / n_columns : 2;
    const std::size_t half_rows = n_rows / 2;
    const std::size_t half_columns = n_columns / 2;
    const std::size_t begin = is_matrix ? first + to_row : first;
    const std::size_t n_contrasts = half_rows * half_columns;
    for (std::size_t k = 0; k < std::min(n_wanted, n_contrasts); ++k) {
        const std::size_t place = n_contrasts <= n_wanted ? k : spread(k, n_contrasts);
        const std::size_t corner = begin + place / half_columns * n_columns + place % half_columns;
        const std::size_t down = half_rows * n_columns;
        logs.add(contrasts, {corner, corner + half_columns, corner + down, corner + down + half_columns});
    }
}

}  // namespace

Variation find_variation(const Elements& elements, const KernelSet& kernels) {
    std::vector<Contrast> contrasts;
    const Logs logs(elements, kernels);
    std::size_t first = 0;
    for (const Section& section : elements.sections) {
        const std::size_t n_wanted = kContrasts * section.n_elements / elements.n_elements + 1;
        add_contrasts(contrasts, logs, section, first, n_wanted);
        first += section.n_elements;
    }
    Variation variation;
    std::int64_t products = 0;
    std::int64_t squares = 0;
    for (const Contrast& contrast : contrasts) {
        products += contrast.element * contrast.predecessor;
        squares += contrast.predecessor * contrast.predecessor;
    }
    if (products > 0) {
        const std::int64_t weight = (products * 16 + squares / 2) / squares;
        variation.weight = static_cast<unsigned>(std::min<std::int64_t>(weight, kMaxWeight));
    }
    std::uint64_t sum = 0;
    for (const Contrast& contrast : contrasts) {
        const std::int64_t explained = contrast.predecessor * variation.weight >> kWeightShift;
        sum += static_cast<std::uint64_t>(std::abs(contrast.element - explained));
    }
    // Four elements make the deviation of a contrast twice that of one; the mean size is 0.8 times the deviation.
    if (!contrasts.empty()) variation.deviation = sum * 10 / contrasts.size();
    return variation;
}

}  // namespace weightzip
