#include "block/fit_factors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "block/contrasts.hpp"

namespace weightzip {
namespace {

// Rounds of means where some elements are missing, which is where one round is not enough.
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

// What base and factors are to explain: logarithms, less the predecessor's share.
class Targets {
public:
    Targets(const Elements& elements, unsigned weight, const KernelSet& kernels)
        : elements_(elements),
          weight_(static_cast<std::int32_t>(weight)),
          find_logs_(kernels.elementwise->logs[elements.element_log2]) {}

    // Writes the targets of elements first to first + n - 1.
    void find(std::size_t first, std::size_t n, std::int32_t* y) const noexcept {
        find_logs_(elements_.raw_at(first), y, n, elements_.mantissa_bits);
        for (std::size_t i = 0; i < n; ++i) y[i] = y[i] == kLogOfNothing ? kMissing : y[i];
        if (weight_ == 0) return;
        std::int32_t logs[kSumElements];
        for (std::size_t done = 0; done < n; done += kSumElements) {
            const std::size_t n_pass = std::min(kSumElements, n - done);
            find_logs_(elements_.predecessor_at(first + done), logs, n_pass, elements_.mantissa_bits);
            std::int32_t* targets = y + done;
            for (std::size_t i = 0; i < n_pass; ++i) {
                const std::int32_t share = weight_ * logs[i] >> kWeightShift;
                targets[i] = targets[i] == kMissing ? kMissing : targets[i] - share;
            }
        }
    }

private:
    const Elements& elements_;
    std::int32_t weight_;
    LogKernel find_logs_;
};

// The sum of what is not missing, less what the columns explain.
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
std::int32_t count_present(const std::int32_t* y, std::size_t n, std::int32_t* counts) noexcept {
    std::int32_t present = 0;
    for (std::size_t j = 0; j < n; ++j) {
        const std::int32_t is_present = y[j] == kMissing ? 0 : 1;
        counts[j] += is_present;
        present += is_present;
    }
    return present;
}

// The means of the rows and columns of one section, by turns: each is that of what the other leaves.
class SectionFit {
public:
    SectionFit(const Targets& targets, const Section& section, std::size_t first)
        : targets_(targets),
          section_(section),
          first_(first),
          y_(section.n_columns),
          rows_(section.n_rows()),
          columns_(section.n_columns) {
        fit_round(true);
        std::int64_t n_present = 0;
        for (const std::int32_t count : rows_.counts) n_present += count;
        // Where nothing is missing, the first means do not change any more.
        if (n_present == static_cast<std::int64_t>(rows_.means.size()) * section.n_columns) return;
        for (int round = 1; round < kRounds; ++round) fit_round(false);
    }

    SectionFactors quantize(unsigned step_log2) const {
        SectionFactors factors;
        std::int64_t sum = 0;
        std::int64_t n = 0;
        for (std::size_t row = 0; row < rows_.means.size(); ++row) {
            if (rows_.counts[row] > 0) sum += rows_.means[row], ++n;
        }
        factors.base = n == 0 ? kSunkBase : mean(sum, n);
        factors.rows = rows_.quantize(factors.base, step_log2);
        factors.columns = columns_.quantize(0, step_log2);
        if (n == 0) return factors;
        rows_.sink_empty(factors.rows, factors.columns, factors.base, step_log2);
        columns_.sink_empty(factors.columns, factors.rows, factors.base, step_log2);
        return factors;
    }

private:
    // Of all rows, or of all columns.
    struct Means {
        std::vector<std::int32_t> means;
        std::vector<std::int32_t> counts;

        explicit Means(std::size_t n) : means(n), counts(n) {}

        std::vector<std::int32_t> quantize(std::int32_t base, unsigned step_log2) const {
            std::vector<std::int32_t> factors(means.size());
            const std::int32_t half = (1 << step_log2) / 2;
            for (std::size_t i = 0; i < means.size(); ++i) {
                if (counts[i] == 0) continue;
                factors[i] = std::clamp((means[i] - base + half) >> step_log2, kMinFactor, kMaxFactor);
            }
            return factors;
        }

        // Those that are zero throughout get a factor so low that the same is predicted everywhere in them.
        void sink_empty(std::vector<std::int32_t>& factors, const std::vector<std::int32_t>& across, std::int32_t base,
                        unsigned step_log2) const {
            const std::int32_t highest = base + (*std::max_element(across.begin(), across.end()) << step_log2);
            const std::int32_t sunk = std::clamp(-(highest >> step_log2) - 2, kMinFactor, 0);
            for (std::size_t i = 0; i < factors.size(); ++i) {
                if (counts[i] == 0) factors[i] = sunk;
            }
        }
    };

    void fit_round(bool counts) {
        std::vector<std::int64_t> sums(columns_.means.size());
        std::vector<std::int32_t> few_sums(sums.size());
        std::size_t n_summed = 0;
        std::size_t column = section_.first_column;
        std::size_t t = 0;
        for (std::size_t row = 0; row < rows_.means.size(); ++row, column = 0) {
            const std::size_t n = std::min<std::size_t>(section_.n_elements - t, section_.n_columns - column);
            targets_.find(first_ + t, n, y_.data());
            t += n;
            if (counts) rows_.counts[row] = count_present(y_.data(), n, &columns_.counts[column]);
            if (rows_.counts[row] == 0) continue;
            rows_.means[row] = mean(sum_row(y_.data(), &columns_.means[column], n), rows_.counts[row]);
            add_to_columns(y_.data(), rows_.means[row], n, &few_sums[column]);
            if (++n_summed % kSumElements == 0) move_sums(few_sums, sums);
        }
        move_sums(few_sums, sums);
        for (std::size_t j = 0; j < sums.size(); ++j) {
            if (columns_.counts[j] > 0) columns_.means[j] = mean(sums[j], columns_.counts[j]);
        }
    }

    static void move_sums(std::vector<std::int32_t>& from, std::vector<std::int64_t>& to) noexcept {
        for (std::size_t j = 0; j < to.size(); ++j) to[j] += from[j], from[j] = 0;
    }

    const Targets& targets_;
    const Section& section_;
    std::size_t first_;
    std::vector<std::int32_t> y_;  // of one row
    Means rows_;
    Means columns_;
};

// The mean alone.
SectionFactors fit_base(const Targets& targets, const Section& section, std::size_t first) {
    std::array<std::int32_t, kSumElements> y;
    std::int64_t sum = 0;
    std::int64_t n = 0;
    for (std::size_t t = 0; t < section.n_elements; t += y.size()) {
        const std::size_t n_pass = std::min(y.size(), section.n_elements - t);
        targets.find(first + t, n_pass, y.data());
        for (std::size_t i = 0; i < n_pass; ++i) {
            if (y[i] != kMissing) sum += y[i], ++n;
        }
    }
    return {n == 0 ? kSunkBase : mean(sum, n), {}, {}};
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
    const Targets targets(elements, variation.weight, kernels);
    Factors factors;
    factors.mantissa_bits = elements.mantissa_bits;
    factors.weight = static_cast<std::uint8_t>(variation.weight);
    factors.step_log2 = choose_step_log2(elements, variation.deviation);
    factors.sections.assign(elements.sections.begin(), elements.sections.end());
    factors.firsts = find_firsts(factors.sections);
    for (std::size_t s = 0; s < factors.sections.size(); ++s) {
        const Section& section = factors.sections[s];
        const std::size_t first = factors.firsts[s];
        factors.values.push_back(section.n_columns == 0
                                     ? fit_base(targets, section, first)
                                     : SectionFit(targets, section, first).quantize(factors.step_log2));
    }
    return factors;
}

}  // namespace weightzip
