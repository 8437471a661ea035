// Logarithms of elements and elements from logarithms (docs/format.md "Factors"). Part of elementwise.inl.

#include "kernels/log_exp.hpp"

namespace weightzip {
namespace {

inline constexpr unsigned kMinusExponentWeight = 255;

// What the predecessor adds to a level.
enum class Share { nothing, weighted_log, minus_exponent };

// Moves the exponent of a magnitude and the 8 upper bits of its mantissa to the bottom: 256 e + f.
struct LogScale {
    unsigned up;
    unsigned down;

    explicit LogScale(unsigned mantissa_bits) noexcept
        : up(mantissa_bits < 8 ? 8 - mantissa_bits : 0), down(mantissa_bits < 8 ? 0 : mantissa_bits - 8) {}

    template <typename T>
    std::int32_t linear(T element) const noexcept {
        using Wide = std::conditional_t<(sizeof(T) < 8), std::uint32_t, std::uint64_t>;
        constexpr Wide magnitude_mask = static_cast<Wide>(static_cast<T>(static_cast<T>(~T{0}) >> 1));
        return static_cast<std::int32_t>((element & magnitude_mask) << up >> down);
    }
    template <typename T>
    std::int32_t log(T element) const noexcept {
        const std::int32_t level = linear(element);
        return level + kLogExcess.values[level & 255];
    }
    // 256 times the exponent.
    template <typename T>
    std::int32_t exponent_log(T element) const noexcept {
        return linear(element) & ~255;
    }
};

// The inverse: the element whose logarithm is about level, which is clamped to what can be.
template <typename T>
struct PowerScale {
    using Wide = std::conditional_t<(sizeof(T) < 8), std::uint32_t, std::uint64_t>;
    unsigned mantissa_bits;
    unsigned up;
    unsigned down;
    std::int32_t top;

    explicit PowerScale(unsigned bits) noexcept
        : mantissa_bits(bits), up(bits < 16 ? 0 : bits - 16), down(bits < 16 ? 16 - bits : 0),
          top(256 * ((1 << (kBits<T> - 1 - static_cast<int>(bits))) - 1) - 1) {}

    T power(std::int32_t level) const noexcept {
        level = level > 0 ? level : 0;
        level = level < top ? level : top;
        const Wide mantissa = static_cast<Wide>(kPowerMantissas.values[level & 255]) << up >> down;
        return static_cast<T>(static_cast<Wide>(level >> 8) << mantissa_bits | mantissa);
    }
};

}  // namespace
}  // namespace weightzip

#if defined(__AVX512VBMI__)
#include "kernels/predict_vbmi.inl"
#endif

namespace weightzip {
namespace {

template <typename T>
void find_logs(const std::uint8_t* __restrict elements, std::int32_t* __restrict logs, std::size_t n_elements,
               unsigned mantissa_bits) noexcept {
    const LogScale scale(mantissa_bits);
    std::size_t i = 0;
#if defined(__AVX512VBMI__)
    if constexpr (sizeof(T) <= 4) i = find_logs_in_vectors<T>(elements, logs, n_elements, scale);
#endif
    for (; i < n_elements; ++i) logs[i] = scale.log(load<T>(elements + sizeof(T) * i));
}

template <typename T, Share kShare>
void predict_share(const std::uint8_t* __restrict predecessor, const std::int32_t* __restrict offsets,
                   std::uint8_t* __restrict predicted, std::size_t n_elements, unsigned mantissa_bits,
                   std::int32_t weight) noexcept {
    const LogScale logs(mantissa_bits);
    const PowerScale<T> powers(mantissa_bits);
    std::size_t i = 0;
#if defined(__AVX512VBMI__)
    if constexpr (sizeof(T) <= 4) {
        i = predict_in_vectors<T, kShare>(predecessor, offsets, predicted, n_elements, logs, powers, weight);
    }
#endif
    for (; i < n_elements; ++i) {
        std::int32_t level = offsets[i];
        if constexpr (kShare == Share::weighted_log) level += weight * logs.log(load<T>(predecessor + sizeof(T) * i)) >> 4;
        if constexpr (kShare == Share::minus_exponent) level -= logs.exponent_log(load<T>(predecessor + sizeof(T) * i));
        const T element = powers.power(level);
        std::memcpy(predicted + sizeof(T) * i, &element, sizeof(T));
    }
}

template <typename T>
void predict(const std::uint8_t* predecessor, const std::int32_t* offsets, std::uint8_t* predicted,
             std::size_t n_elements, unsigned mantissa_bits, unsigned weight) noexcept {
    if (weight == 0) {
        return predict_share<T, Share::nothing>(nullptr, offsets, predicted, n_elements, mantissa_bits, 0);
    }
    if (weight == kMinusExponentWeight) {
        return predict_share<T, Share::minus_exponent>(predecessor, offsets, predicted, n_elements, mantissa_bits, 0);
    }
    predict_share<T, Share::weighted_log>(predecessor, offsets, predicted, n_elements, mantissa_bits,
                                          static_cast<std::int32_t>(weight));
}

}  // namespace
}  // namespace weightzip
