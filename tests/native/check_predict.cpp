// The kernels that predict and derive: tables against the formulas in floating point, vector against scalar on every
// length up to 257, and derivation on every kind of fp32.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "check.hpp"
#include "cpu/dispatch.hpp"
#include "kernels/log_exp.hpp"

namespace weightzip::test {
namespace {

constexpr std::size_t kMaxElements = 257;
// How near to a tie a table's entry may be before rounding: floating point knows it far better.
constexpr double kTieMargin = 1e-6;

bool equal(const Exact& a, const Exact& b) { return std::memcmp(a.data.get(), b.data.get(), a.size) == 0; }

const ElementwiseKernels& scalar_kernels() { return *list_kernels().back()->elementwise; }

void check_rounded(double exact, double rounded) {
    check(std::abs(exact - rounded) < 0.5 - kTieMargin, "a table's entry is its formula, rounded");
}

void check_tables() {
    for (int f = 0; f < 256; ++f) {
        check_rounded(256 * std::log2(1 + (f + 0.5) / 256), f + kLogExcess.values[f]);
        check_rounded(65536 * (std::exp2((f + 0.5) / 256) - 1), kPowerMantissas.values[f]);
        check(kPowerMantissas.values[f] <= 65535, "a mantissa has 16 bits");
    }
}

// The logarithm of the power of a level is the level, all over the range and clamped at its ends.
void check_inverse(const KernelSet& kernels, unsigned element_log2, unsigned mantissa_bits) {
    const std::int32_t end = 256 * ((1 << ((8u << element_log2) - 1 - mantissa_bits)) - 1);
    const std::int32_t limit = 1 << 28;
    const std::size_t width = std::size_t{1} << element_log2;
    const std::int32_t step = 1 + end / 1000;
    for (std::int32_t level = -step; level < end + 2 * step; level += step) {
        const std::int32_t clamped = std::clamp(level, 0, end - 1);
        for (const std::int32_t offset : {level, level < 0 ? 1 - limit : level, level >= end ? limit - 1 : level}) {
            const Exact element(width);
            std::int32_t log = 0;
            kernels.elementwise->predict[element_log2](nullptr, &offset, element.data.get(), 1, mantissa_bits, 0);
            kernels.elementwise->logs[element_log2](element.data.get(), &log, 1, mantissa_bits);
            // Both tables round, and a mantissa of few bits is coarser than a level: by 1.44 times as much in logarithms.
            const std::int32_t slack = 2 + (mantissa_bits < 8 ? 3 << (7 - mantissa_bits) : 0);
            check(std::abs(log - clamped) <= slack, "log is the inverse of exp");
        }
    }
}

// The keys of scales are those that the kernel for keys finds in them.
void check_scale_keys(const KernelSet& kernels, Random& random, const Exact& scales, const std::uint8_t* predecessor,
                      const std::int32_t* offsets, unsigned element_log2, unsigned mantissa_bits, unsigned weight) {
    const std::size_t n = scales.size >> element_log2;
    const Exact expected(n);
    const Exact keys(n);
    for (unsigned key_shift = mantissa_bits - 1; key_shift < 64; key_shift += 1 + key_shift / 8) {
        const auto base = static_cast<std::uint32_t>(random() >> (32 + below(random, 32)));
        scalar_kernels().keys[element_log2](scales.data.get(), expected.data.get(), n, key_shift, base);
        kernels.elementwise->scale_keys[element_log2](predecessor, offsets, keys.data.get(), n, mantissa_bits, weight,
                                                      key_shift, base);
        check(equal(keys, expected), "scale_keys");
    }
}

void check_predict(const KernelSet& kernels, Random& random, unsigned element_log2, unsigned mantissa_bits,
                   std::size_t n) {
    const Exact predecessor(random_bytes(random, n << element_log2));
    const auto offsets = std::make_unique<std::int32_t[]>(n);
    const unsigned spread = static_cast<unsigned>(below(random, 16));
    for (std::size_t i = 0; i < n; ++i) {
        offsets[i] = static_cast<std::int32_t>(below(random, 1 << 28)) - (1 << 27);
        offsets[i] /= 1 << spread;
    }
    const Exact expected(n << element_log2);
    const Exact predicted(n << element_log2);
    for (const unsigned weight : {0u, 5u, 16u, 255u}) {
        const std::uint8_t* from = weight == 0 ? nullptr : predecessor.data.get();
        scalar_kernels().predict[element_log2](from, offsets.get(), expected.data.get(), n, mantissa_bits, weight);
        kernels.elementwise->predict[element_log2](from, offsets.get(), predicted.data.get(), n, mantissa_bits, weight);
        check(equal(predicted, expected), "predict");
        if (weight == 5 || weight == 16) continue;
        check_scale_keys(kernels, random, expected, from, offsets.get(), element_log2, mantissa_bits, weight);
    }
    const auto expected_logs = std::make_unique<std::int32_t[]>(n);
    const auto logs = std::make_unique<std::int32_t[]>(n);
    scalar_kernels().logs[element_log2](predecessor.data.get(), expected_logs.get(), n, mantissa_bits);
    kernels.elementwise->logs[element_log2](predecessor.data.get(), logs.get(), n, mantissa_bits);
    for (std::size_t i = 0; i < n; ++i) check(logs[i] == expected_logs[i], "logs");
}

// The size of a change in fixed point, in floating point.
double change_of(double x, double p, unsigned top_exponent, int bias) {
    return std::abs(std::ldexp(x - p, 29 + bias - static_cast<int>(top_exponent)));
}

// Of fp32 without infinities: each change is known to the rounding of both elements, and all kernels agree.
void check_changes(const KernelSet& kernels, Random& random, std::size_t n) {
    std::vector<std::uint32_t> raw(n);
    std::vector<std::uint32_t> predecessor(n);
    std::uint32_t top = 1;
    for (std::size_t i = 0; i < n; ++i) {
        raw[i] = static_cast<std::uint32_t>(random()) & (random() % 8 == 0 ? 0x807fffff : 0xbfffffff);
        predecessor[i] = raw[i] ^ static_cast<std::uint32_t>(random() & (random() % 8 == 0 ? 0x83ffffff : 0xffff));
        for (const std::uint32_t element : {raw[i], predecessor[i]}) top = std::max(top, element >> 23 & 255);
    }
    const auto* x = reinterpret_cast<const std::uint8_t*>(raw.data());
    const auto* p = reinterpret_cast<const std::uint8_t*>(predecessor.data());
    std::vector<std::uint64_t> sums(n, 7);
    const std::uint64_t sum = kernels.elementwise->add_changes[2](x, p, sums.data(), n, 23, top);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        float values[2];
        std::memcpy(&values[0], &raw[i], 4);
        std::memcpy(&values[1], &predecessor[i], 4);
        check(std::abs(change_of(values[0], values[1], top, 127) - static_cast<double>(sums[i] - 7)) <= 2, "a change");
        total += sums[i] - 7;
    }
    check(total == sum, "the sum of changes");
}

void check_change_kernels(const KernelSet& kernels, Random& random, unsigned element_log2, unsigned mantissa_bits,
                          std::size_t n) {
    const Exact raw(random_bytes(random, n << element_log2));
    const Exact predecessor(random_bytes(random, n << element_log2));
    const std::uint8_t* const inputs[] = {nullptr, predecessor.data.get()};
    for (const std::uint8_t* from : inputs) {
        const auto top = static_cast<unsigned>(1 + below(random, (1u << ((8u << element_log2) - 1 - mantissa_bits)) - 1));
        std::vector<std::uint64_t> expected(n);
        std::vector<std::uint64_t> sums(n);
        const std::uint64_t total =
            scalar_kernels().add_changes[element_log2](raw.data.get(), from, expected.data(), n, mantissa_bits, top);
        check(kernels.elementwise->add_changes[element_log2](raw.data.get(), from, sums.data(), n, mantissa_bits, top) ==
                  total, "sums of changes");
        check(sums == expected, "changes");
    }
}

// Bits of fp32 that are special, near a border of fp16, or at a tie, as well as any.
std::uint32_t draw_fp32(Random& random) {
    const auto bits = static_cast<std::uint32_t>(random());
    const std::uint32_t sign = bits & 0x80000000;
    const auto exponent = static_cast<std::uint32_t>(98 + below(random, 50)) << 23;
    const std::uint32_t ties[] = {0, 0x1000, 0x3000, 0xfff, 0x1001, 0x7fffff, 0x8000, 0x7fff, 0x400000};
    switch (below(random, 5)) {
        case 0: return bits;
        case 1: return sign | exponent | (bits & 0x7fffff);
        case 2: return sign | exponent | ties[below(random, 9)];
        case 3: return sign | 0x7f800000 | ties[below(random, 9)];
        default: return sign | ties[below(random, 9)];
    }
}

// The nearest fp16 to a finite number, in floating point; nearbyint rounds ties to even.
std::uint16_t nearest_fp16(float x) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(x) ? 0x8000 : 0);
    const double magnitude = std::abs(static_cast<double>(x));
    if (magnitude >= 65520) return sign | 0x7c00;
    const int exponent = std::max(magnitude == 0 ? -14 : std::ilogb(magnitude), -14);
    const double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
    return static_cast<std::uint16_t>(sign + ((exponent + 14) << 10) + static_cast<int>(units));
}

std::uint16_t derive_one(const KernelSet& kernels, std::uint32_t x, unsigned derivation) {
    std::uint16_t element = 0;
    kernels.elementwise->derive[derivation](reinterpret_cast<const std::uint8_t*>(&x),
                                            reinterpret_cast<std::uint8_t*>(&element), 1);
    return element;
}

void check_derivations(const KernelSet& kernels, Random& random) {
    for (int n = 0; n < 200'000; ++n) {
        const std::uint32_t x = draw_fp32(random);
        float value;
        std::memcpy(&value, &x, sizeof value);
        check(derive_one(kernels, x, 1) == x >> 16, "bf16 truncated");
        check(derive_one(kernels, x, 3) == (x & 0xffff), "lower half");
        const std::uint16_t bf16 = derive_one(kernels, x, 0);
        const std::uint16_t fp16 = derive_one(kernels, x, 2);
        if (std::isnan(value)) {
            check(bf16 == (x >> 16 | 0x40), "a NaN stays one as bf16");
            check(fp16 == ((x >> 16 & 0x8000) | 0x7e00 | (x >> 13 & 0x3ff)), "a NaN stays one as fp16");
            continue;
        }
        const std::uint32_t rest = x & 0xffff;
        const bool up = rest > 0x8000 || (rest == 0x8000 && (x >> 16 & 1) != 0);
        check(bf16 == (x >> 16) + (up ? 1 : 0), "bf16 to nearest even");
        check(fp16 == nearest_fp16(value), "fp16 to nearest even");
    }
}

void check_derive(const KernelSet& kernels, Random& random, std::size_t n) {
    const Exact companion(random_bytes(random, 4 * n));
    const Exact expected(2 * n);
    const Exact derived(2 * n);
    for (unsigned derivation = 0; derivation < kDerivations; ++derivation) {
        scalar_kernels().derive[derivation](companion.data.get(), expected.data.get(), n);
        kernels.elementwise->derive[derivation](companion.data.get(), derived.data.get(), n);
        check(equal(derived, expected), "derive");
    }
}

void check_kernels(const KernelSet& kernels) {
    Random random(1);
    // The least and the most mantissa of each size, and those of the common floats.
    constexpr struct {
        unsigned element_log2;
        unsigned mantissa_bits;
    } kFormats[] = {{0, 1}, {0, 2}, {0, 3}, {0, 6}, {1, 4}, {1, 7}, {1, 10}, {1, 14}, {2, 20}, {2, 23}, {2, 30}, {3, 52}};
    for (const auto& [element_log2, mantissa_bits] : kFormats) {
        check_inverse(kernels, element_log2, mantissa_bits);
        for (std::size_t n = 0; n <= kMaxElements; ++n) {
            check_predict(kernels, random, element_log2, mantissa_bits, n);
            check_change_kernels(kernels, random, element_log2, mantissa_bits, n);
        }
    }
    for (std::size_t n = 0; n <= kMaxElements; ++n) {
        check_derive(kernels, random, n);
        check_changes(kernels, random, n);
    }
    check_derivations(kernels, random);
}

}  // namespace
}  // namespace weightzip::test

int main() {
    weightzip::test::check_tables();
    for (const auto* kernels : weightzip::list_kernels()) {
        std::printf("checking the %s kernels\n", kernels->name);
        weightzip::test::check_kernels(*kernels);
    }
    return 0;
}
