#include "block/fit_factors.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "block/contrasts.hpp"

namespace weightzip {
namespace {

constexpr int kRounds = 3;
// In place of the logarithm of an element that is zero, or nearly: it follows no law and must not bend the means.
constexpr std::int32_t kMissing = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kLogOfNothing = 1;
// So many differences of logarithms, below 2^22 each, add up without overflow.
constexpr std::size_t kSumElements = 256;
// A sum that is clamped to 0 whatever else is added.
constexpr std::int32_t kSunkBase = -(1 << 24);

// The quotient of a sum by a count above 0, rounded to nearest.
std::int32_t mean(std::int64_t sum, std::int64_t n) noexcept {
    const std::int64_t doubled = 2 * sum + n;
    const std::int64_t quotient = doubled / (2 * n);
    return static_cast<std::int32_t>(doubled % (2 * n) < 0 ? quotient - 1 : quotient);
}

// The sum of what is not missing, less the column's mean where there are columns.
std::int64_t sum_row(const std::int32_t* y, const std::int32_t* columns, std::size_t n) noexcept {
    std::int64_t total = 0;
    for (std::size_t first = 0; first < n; first += kSumElements) {
        std::int32_t sum = 0;
        const std::size_t end = std::min(n, first + kSumElements);
        for (std::size_t j = first; j < end; ++j) sum += y[j] == kMissing ? 0 : y[j] - columns[j];
        total += sum;
    }
    return total;
}

void add_to_columns(const std::int32_t* y, std::int32_t row, std::size_t n, std::int32_t* sums) noexcept {
    for (std::size_t j = 0; j < n; ++j) sums[j] += y[j] == kMissing ? 0 : y[j] - row;
}

// Adds one to the count of each column that has an element, and returns how many have.
std::size_t count_present(const std::int32_t* y, std::size_t n, std::int32_t* counts) noexcept {
    std::int32_t present = 0;
    for (std::size_t j = 0; j < n; ++j) {
        const std::int32_t is_present = y[j] == kMissing ? 0 : 1;
        counts[j] += is_present;
        present += is_present;
    }
    return static_cast<std::size_t>(present);
}

// The means of the rows and columns of one section, by turns: each is that of what the other leaves.
class SectionFit {
public:
    SectionFit(const Section& section, const std::int32_t* y)
        : section_(section),
          y_(y),
          rows_(section.n_rows()),
          row_counts_(rows_.size()),
          columns_(section.n_columns),
          column_counts_(columns_.size()) {
        for_each_row([&](std::size_t row, const std::int32_t* from, std::size_t column, std::size_t n) {
            row_counts_[row] = static_cast<std::int32_t>(count_present(from, n, &column_counts_[column]));
        });
        for (int round = 0; round < kRounds; ++round) fit_round();
    }

    SectionFactors quantize(unsigned step_log2) const {
        SectionFactors factors;
        std::int64_t sum = 0;
        std::int64_t n = 0;
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            if (row_counts_[row] > 0) sum += rows_[row], ++n;
        }
        factors.base = n == 0 ? kSunkBase : mean(sum, n);
        factors.rows = quantize_means(rows_, row_counts_, factors.base, step_log2);
        factors.columns = quantize_means(columns_, column_counts_, 0, step_log2);
        if (n == 0) return factors;
        sink_empty(factors.rows, row_counts_, factors.columns, factors.base, step_log2);
        sink_empty(factors.columns, column_counts_, factors.rows, factors.base, step_log2);
        return factors;
    }

private:
    template <typename Use>
    void for_each_row(Use&& use) {
        std::size_t column = section_.first_column;
        const std::int32_t* from = y_;
        const std::int32_t* end = y_ + section_.n_elements;
        for (std::size_t row = 0; from != end; ++row, column = 0) {
            const auto left = static_cast<std::size_t>(end - from);
            const std::size_t n = std::min(left, section_.n_columns - column);
            use(row, from, column, n);
            from += n;
        }
    }

    void fit_round() {
        std::vector<std::int64_t> sums(columns_.size());
        std::vector<std::int32_t> few_sums(columns_.size());
        std::size_t n_rows = 0;
        const auto flush = [&] {
            for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += few_sums[j], few_sums[j] = 0;
            n_rows = 0;
        };
        for_each_row([&](std::size_t row, const std::int32_t* from, std::size_t column, std::size_t n) {
            if (row_counts_[row] == 0) return;
            rows_[row] = mean(sum_row(from, &columns_[column], n), row_counts_[row]);
            add_to_columns(from, rows_[row], n, &few_sums[column]);
            if (++n_rows == kSumElements) flush();
        });
        flush();
        for (std::size_t j = 0; j < sums.size(); ++j) {
            if (column_counts_[j] > 0) columns_[j] = mean(sums[j], column_counts_[j]);
        }
    }

    static std::vector<std::int32_t> quantize_means(const std::vector<std::int32_t>& means,
                                                    const std::vector<std::int32_t>& counts, std::int32_t base,
                                                    unsigned step_log2) {
        std::vector<std::int32_t> factors(means.size());
        for (std::size_t i = 0; i < means.size(); ++i) {
            if (counts[i] == 0) continue;
            const std::int32_t half = (1 << step_log2) / 2;
            factors[i] = std::clamp((means[i] - base + half) >> step_log2, kMinFactor, kMaxFactor);
        }
        return factors;
    }

    // Rows (or columns) that are zero throughout get a factor so low that the same is predicted everywhere in them.
    static void sink_empty(std::vector<std::int32_t>& factors, const std::vector<std::int32_t>& counts,
                           const std::vector<std::int32_t>& across, std::int32_t base, unsigned step_log2) {
        const std::int32_t highest = base + (*std::max_element(across.begin(), across.end()) << step_log2);
        const std::int32_t sunk = std::clamp(-(highest >> step_log2) - 2, kMinFactor, 0);
        for (std::size_t i = 0; i < factors.size(); ++i) {
            if (counts[i] == 0) factors[i] = sunk;
        }
    }

    const Section& section_;
    const std::int32_t* y_;
    std::vector<std::int32_t> rows_;
    std::vector<std::int32_t> row_counts_;
    std::vector<std::int32_t> columns_;
    std::vector<std::int32_t> column_counts_;
};

// The mean of the logarithms alone.
SectionFactors fit_base(const std::vector<std::int32_t>& y) {
    std::int64_t sum = 0;
    std::int64_t n = 0;
    for (const std::int32_t log : y) {
        if (log != kMissing) sum += log, ++n;
    }
    return {n == 0 ? kSunkBase : mean(sum, n), {}, {}};
}

// What base and factors are to explain: logarithms, less the predecessor's share.
std::vector<std::int32_t> find_targets(const Elements& elements, std::size_t first, std::size_t n, unsigned weight,
                                       const KernelSet& kernels) {
    const LogKernel find_logs = kernels.elementwise->logs[elements.element_log2];
    std::vector<std::int32_t> y(n);
    find_logs(elements.raw_at(first), y.data(), n, elements.mantissa_bits);
    for (std::int32_t& log : y) log = log == kLogOfNothing ? kMissing : log;
    if (weight == 0) return y;
    std::int32_t logs[kSumElements];
    const auto factor = static_cast<std::int32_t>(weight);
    for (std::size_t done = 0; done < n; done += kSumElements) {
        const std::size_t n_pass = std::min(kSumElements, n - done);
        find_logs(elements.predecessor_at(first + done), logs, n_pass, elements.mantissa_bits);
        for (std::size_t i = 0; i < n_pass; ++i) {
            std::int32_t& target = y[done + i];
            target = target == kMissing ? kMissing : target - (factor * logs[i] >> kWeightShift);
        }
    }
    return y;
}

// Finer steps cost bits of the factors, coarser ones bits of the elements. With d = deviation / 16, the sum of both is
// least where 4^s is 6 d^2 times the number of factors an element.
std::uint8_t choose_step_log2(const Elements& elements, std::uint64_t deviation) {
    std::uint64_t n_factors = 0;
    for (const Section& section : elements.sections) n_factors += section.n_rows() + section.n_columns;
    const std::uint64_t per_element = (n_factors << 12) / elements.n_elements;
    const std::uint64_t d = std::min<std::uint64_t>(deviation, 1 << 20);
    const std::uint64_t best = 6 * (d * d >> 8) * per_element >> 12;
    const auto log4 = static_cast<unsigned>(std::bit_width(2 * best | 1) - 1) / 2;
    return static_cast<std::uint8_t>(std::min(log4, kMaxStepLog2));
}

}  // namespace

Factors fit_factors(const Elements& elements, const KernelSet& kernels) {
    const Variation variation = find_variation(elements, kernels);
    Factors factors;
    factors.mantissa_bits = elements.mantissa_bits;
    factors.weight = static_cast<std::uint8_t>(variation.weight);
    factors.step_log2 = choose_step_log2(elements, variation.deviation);
    factors.sections.assign(elements.sections.begin(), elements.sections.end());
    factors.firsts = find_firsts(factors.sections);
    for (std::size_t s = 0; s < factors.sections.size(); ++s) {
        const Section& section = factors.sections[s];
        const auto y = find_targets(elements, factors.firsts[s], section.n_elements, variation.weight, kernels);
        factors.values.push_back(section.n_columns == 0 ? fit_base(y)
                                                        : SectionFit(section, y.data()).quantize(factors.step_log2));
    }
    return factors;
}

}  // namespace weightzip
