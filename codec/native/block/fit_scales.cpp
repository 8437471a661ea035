#include "block/fit_scales.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "block/sample.hpp"
#include "kernels/log_exp.hpp"

namespace weightzip {
namespace {

constexpr std::size_t kRowElements = 2048;
// So many elements of a section tell how large they are.
constexpr std::size_t kExponentSamples = 1024;
// One unit of the kernel is 2^-29 of the largest exponent's first digit.
constexpr int kTopBit = 29;
// Changes smaller than the last place, down to 2^-8 of it, have scales of their own.
constexpr int kLowestPlace = 8;
// Scales must have a mean square about their mean of so much, .045 octaves^2, for contexts to be worth their time.
constexpr std::uint64_t kSpreadWorth = 3000;
// Factors must have a mean square, times the elements of each, of so many octaves to save more bits than they take.
constexpr std::uint64_t kWorth = std::uint64_t{6} << 16;

// 256 log2(sum / n), rounded down; half a unit in place of no sum.
std::int32_t mean_log(std::uint64_t sum, std::uint64_t n) noexcept {
    const auto log = [](std::uint64_t value) {
        const auto digits = static_cast<std::int32_t>(std::bit_width(value)) - 1;
        const std::int32_t places = 8 - digits;
        const std::uint64_t fraction = (places >= 0 ? value << places : value >> -places) & 255;
        return 256 * digits + static_cast<std::int32_t>(fraction) + kLogExcess.values[fraction];
    };
    return (sum == 0 ? -256 : log(sum)) - log(n);
}

unsigned exponent_of(const Elements& elements, std::size_t i) noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, elements.raw_at(i), std::size_t{1} << elements.element_log2);
    const unsigned sign_bit = (8u << elements.element_log2) - 1;
    return static_cast<unsigned>((value & ~(std::uint64_t{1} << sign_bit)) >> elements.mantissa_bits);
}

// The largest exponent of a finite element among some.
unsigned find_top_exponent(const Elements& elements, const Section& section, std::size_t first) noexcept {
    const unsigned infinite = (1u << ((8u << elements.element_log2) - 1 - elements.mantissa_bits)) - 1;
    const std::size_t stride = section.n_elements / kExponentSamples + 1;
    unsigned top = 1;
    for (std::size_t t = 0; t < section.n_elements; t += stride) {
        const unsigned exponent = exponent_of(elements, first + t);
        if (exponent != infinite) top = std::max(top, exponent);
    }
    return top;
}

// The sums of sizes in one section: of all, and of its rows and columns. Without columns, kRowElements make a row.
class SectionSums {
public:
    SectionSums(const Elements& elements, const Section& section, std::size_t first, bool for_sample)
        : elements_(elements),
          section_(section),
          first_(first),
          for_sample_(for_sample),
          n_columns_(section.n_columns == 0 ? kRowElements : section.n_columns),
          end_(std::size_t{section.first_column} + section.n_elements),
          rows_((end_ + n_columns_ - 1) / n_columns_),
          columns_(n_columns_) {}

    // The mean square of the factors, in about 1/256 octave each.
    std::uint64_t spread() const noexcept { return spread_; }

    void add_all(unsigned top_exponent, const KernelSet& kernels) {
        const ChangeKernel add_changes = kernels.elementwise->add_changes[elements_.element_log2];
        const bool differs = elements_.predictor == Predictor::predecessor;
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            const std::size_t column = begin_of(row) % n_columns_;
            const std::size_t element = first_ + begin_of(row) - section_.first_column;
            const std::size_t n = end_of(row) - begin_of(row);
            if (for_sample_ && !is_sampled(elements_.n_elements, element, element + n)) continue;
            rows_[row] = add_changes(elements_.raw_at(element), differs ? elements_.predecessor_at(element) : nullptr,
                                     columns_.data() + column, n, elements_.mantissa_bits, top_exponent);
            total_ += rows_[row];
            measured_.push_back(row);
        }
    }

    SectionFactors find_factors() {
        std::size_t n_measured = 0;
        for (const std::size_t row : measured_) n_measured += end_of(row) - begin_of(row);
        SectionFactors factors{n_measured == 0 ? 0 : mean_log(total_, n_measured), {}, {}};
        if (section_.n_columns == 0) return factors;
        factors.rows.resize(rows_.size());
        factors.columns.resize(columns_.size());
        if (n_measured == 0) return factors;
        find_row_factors(factors);
        find_column_factors(factors);
        return factors;
    }

private:
    // In elements, from the start of the first row as if that were whole.
    std::size_t begin_of(std::size_t row) const noexcept {
        return std::max<std::size_t>(row * n_columns_, section_.first_column);
    }
    std::size_t end_of(std::size_t row) const noexcept { return std::min((row + 1) * n_columns_, end_); }

    void find_row_factors(SectionFactors& factors) {
        std::size_t n_elements = 0;
        std::uint64_t squares = 0;
        std::size_t next = 0;
        for (const std::size_t row : measured_) {
            const std::size_t n = end_of(row) - begin_of(row);
            const std::int32_t factor = mean_log(rows_[row], n) - factors.base;
            squares += square(factor) * n;
            n_elements += n;
            // Rows that were not measured take the bits of those that were.
            for (; next <= row; ++next) factors.rows[next] = factor;
        }
        keep_if_worth(factors.rows, squares, measured_.size(), n_elements);
    }

    void find_column_factors(SectionFactors& factors) {
        std::size_t n_elements = 0;
        const bool lacks_begin = measured_.front() == 0;
        const bool lacks_end = measured_.back() == rows_.size() - 1;
        const std::size_t end_column = (end_ - 1) % n_columns_;
        std::uint64_t squares = 0;
        for (std::size_t column = 0; column < n_columns_; ++column) {
            std::size_t n = measured_.size();
            if (lacks_begin && column < section_.first_column) --n;
            if (lacks_end && column > end_column) --n;
            if (n == 0) continue;
            factors.columns[column] = mean_log(columns_[column], n) - factors.base;
            squares += square(factors.columns[column]) * n;
            n_elements += n;
        }
        keep_if_worth(factors.columns, squares, n_columns_, n_elements);
    }

    void keep_if_worth(std::vector<std::int32_t>& factors, std::uint64_t squares, std::size_t n_measured,
                       std::size_t n_elements) noexcept {
        if (squares / n_measured < kWorth) {
            std::fill(factors.begin(), factors.end(), 0);
        } else {
            spread_ += squares / n_elements;
        }
    }

    static std::uint64_t square(std::int32_t factor) noexcept {
        return static_cast<std::uint64_t>(std::int64_t{factor} * factor);
    }

    const Elements& elements_;
    const Section& section_;
    std::size_t first_;
    bool for_sample_;
    std::size_t n_columns_;
    std::size_t end_;
    std::vector<std::uint64_t> rows_;
    std::vector<std::uint64_t> columns_;
    std::vector<std::size_t> measured_;
    std::uint64_t total_ = 0;
    std::uint64_t spread_ = 0;
};

// How much the scales of sections vary.
class Spread {
public:
    void add(const Section& section, std::int32_t base, std::uint64_t within) noexcept {
        const std::int64_t n = section.n_elements;
        n_ += n;
        sum_ += n * base;
        squares_ += n * (std::int64_t{base} * base + static_cast<std::int64_t>(within));
    }
    bool is_worth() const noexcept {
        const std::int64_t mean = sum_ / n_;
        return squares_ / n_ - mean * mean >= static_cast<std::int64_t>(kSpreadWorth);
    }

private:
    std::int64_t n_ = 0;
    std::int64_t sum_ = 0;
    std::int64_t squares_ = 0;
};

std::size_t count_used(const std::vector<std::int32_t>& factors) noexcept {
    const bool all_zero = std::all_of(factors.begin(), factors.end(), [](std::int32_t f) { return f == 0; });
    return all_zero ? 0 : factors.size();
}

// Finer steps cost bits of the factors, coarser ones bits of the elements: with d = 369 units to a neper, the sum of both
// is least where 4^s is 6 d^2 times the number of factors an element.
std::uint8_t choose_step_log2(const Factors& factors, std::size_t n_elements) {
    std::uint64_t n_factors = 0;
    for (const SectionFactors& values : factors.values) n_factors += count_used(values.rows) + count_used(values.columns);
    const std::uint64_t best = 6 * 369 * 369 * n_factors / n_elements;
    const auto log4 = static_cast<unsigned>(std::bit_width(2 * best | 1) - 1) / 2;
    return static_cast<std::uint8_t>(std::min(log4, kMaxStepLog2));
}

void quantize(std::vector<std::int32_t>& factors, unsigned step_log2) noexcept {
    const std::int32_t half = (1 << step_log2) / 2;
    for (std::int32_t& factor : factors) factor = std::clamp((factor + half) >> step_log2, kMinFactor, kMaxFactor);
}

}  // namespace

std::optional<Factors> fit_scales(const Elements& elements, bool for_sample, const KernelSet& kernels) {
    const bool differs = elements.predictor == Predictor::predecessor;
    Factors factors;
    factors.mantissa_bits = elements.mantissa_bits;
    factors.weight = differs ? kMinusExponent : 0;
    factors.sections.assign(elements.sections.begin(), elements.sections.end());
    factors.firsts = find_firsts(factors.sections);
    Spread spread;
    for (std::size_t s = 0; s < factors.sections.size(); ++s) {
        const Section& section = factors.sections[s];
        const unsigned top = find_top_exponent(elements, section, factors.firsts[s]);
        SectionSums sums(elements, section, factors.firsts[s], for_sample);
        sums.add_all(top, kernels);
        SectionFactors values = sums.find_factors();
        values.base += 256 * (static_cast<std::int32_t>(top) - kTopBit);
        spread.add(section, values.base, sums.spread());
        // In places: how many of the last a change is long, and those of the smallest below.
        if (differs) values.base += 256 * (elements.mantissa_bits + kLowestPlace);
        factors.values.push_back(std::move(values));
    }
    if (!spread.is_worth()) return std::nullopt;
    factors.step_log2 = choose_step_log2(factors, elements.n_elements);
    for (SectionFactors& values : factors.values) {
        quantize(values.rows, factors.step_log2);
        quantize(values.columns, factors.step_log2);
    }
    return factors;
}

}  // namespace weightzip
