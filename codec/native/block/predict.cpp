#include "block/predict.hpp"

#include <algorithm>

namespace weightzip {
namespace {

// The other terms of a sum are below 2^25 together, and beyond 2^19 exp(L) is clamped: a larger base changes nothing.
constexpr std::int32_t kBaseLimit = 1 << 26;

// Adds base, row factor and column factor of n elements of a section, from its element t on.
void find_section_offsets(const Section& section, const SectionFactors& values, unsigned step_log2, std::size_t t,
                          std::size_t n, std::int32_t* offsets) noexcept {
    const std::int32_t base = std::clamp(values.base, -kBaseLimit, kBaseLimit);
    if (section.n_columns == 0) {
        std::fill_n(offsets, n, base);
        return;
    }
    std::size_t row = (section.first_column + t) / section.n_columns;
    std::size_t column = (section.first_column + t) % section.n_columns;
    while (n > 0) {
        const std::size_t run = std::min<std::size_t>(n, section.n_columns - column);
        const std::int32_t row_factor = values.rows[row];
        const std::int32_t* columns = values.columns.data() + column;
        for (std::size_t i = 0; i < run; ++i) offsets[i] = base + ((row_factor + columns[i]) << step_log2);
        offsets += run;
        n -= run;
        column = 0;
        ++row;
    }
}

void find_offsets(const Factors& factors, std::size_t first, std::size_t n, std::int32_t* offsets) noexcept {
    const auto& firsts = factors.firsts;
    auto s = static_cast<std::size_t>(std::upper_bound(firsts.begin(), firsts.end(), first) - firsts.begin()) - 1;
    while (n > 0) {
        const std::size_t run = std::min(n, firsts[s + 1] - first);
        find_section_offsets(factors.sections[s], factors.values[s], factors.step_log2, first - firsts[s], run, offsets);
        offsets += run;
        first += run;
        n -= run;
        ++s;
    }
}

// Few enough for the offsets to stay in the first-level cache.
constexpr std::size_t kPassElements = 2048;

// Calls use(done, n_pass, offsets) for stretches of n elements, of which done are before it.
template <typename Use>
void for_each_pass(const Factors& factors, std::size_t first, std::size_t n, std::vector<std::int32_t>& offsets,
                   Use&& use) {
    offsets.resize(kPassElements);
    for (std::size_t done = 0; done < n; done += kPassElements) {
        const std::size_t n_pass = std::min(kPassElements, n - done);
        find_offsets(factors, first + done, n_pass, offsets.data());
        use(done, n_pass, offsets.data());
    }
}

}  // namespace

const std::uint8_t* Prediction::predict(const Factors& factors, const std::uint8_t* predecessor, std::size_t first,
                                        std::size_t n, unsigned element_log2, const KernelSet& kernels) {
    elements_.resize(std::max(elements_.size(), n << element_log2));
    const PredictKernel kernel = kernels.elementwise->predict[element_log2];
    for_each_pass(factors, first, n, offsets_, [&](std::size_t done, std::size_t n_pass, const std::int32_t* offsets) {
        const std::uint8_t* from = factors.weight == 0 ? nullptr : predecessor + (done << element_log2);
        kernel(from, offsets, elements_.data() + (done << element_log2), n_pass, factors.mantissa_bits, factors.weight);
    });
    return elements_.data();
}

void Prediction::find_keys(const Factors& factors, const std::uint8_t* predecessor, std::size_t first, std::size_t n,
                           unsigned element_log2, const KeyFields& fields, const KernelSet& kernels,
                           std::uint8_t* keys) {
    const bool is_plain = factors.weight == 0 || factors.weight == kMinusExponent;
    if (!is_plain || fields.shift + 1 < factors.mantissa_bits) {
        const std::uint8_t* scales = predict(factors, predecessor, first, n, element_log2, kernels);
        return kernels.elementwise->keys[element_log2](scales, keys, n, fields.shift, fields.base);
    }
    const ScaleKeyKernel kernel = kernels.elementwise->scale_keys[element_log2];
    for_each_pass(factors, first, n, offsets_, [&](std::size_t done, std::size_t n_pass, const std::int32_t* offsets) {
        const std::uint8_t* from = factors.weight == 0 ? nullptr : predecessor + (done << element_log2);
        kernel(from, offsets, keys + done, n_pass, factors.mantissa_bits, factors.weight, fields.shift, fields.base);
    });
}

}  // namespace weightzip
