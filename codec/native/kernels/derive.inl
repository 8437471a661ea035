// Elements of 2 bytes that follow from fp32 elements, by whole-number rules (docs/format.md "Data frame body").
// Part of elementwise.inl.

namespace weightzip {
namespace {

inline constexpr std::uint32_t kMagnitudeMask = 0x7fffffff;
inline constexpr std::uint32_t kInfinity = 0x7f800000;
inline constexpr std::uint32_t kSmallestNormalFp16 = 0x38800000;  // 2^-14

// Drops the lowest n_bits (1 to 31) of x, rounding to nearest, ties to even.
inline std::uint32_t round_off(std::uint32_t x, std::uint32_t n_bits) noexcept {
    return (x + ((1u << (n_bits - 1)) - 1) + (x >> n_bits & 1)) >> n_bits;
}

inline std::uint32_t round_to_bf16(std::uint32_t x) noexcept {
    return (x & kMagnitudeMask) > kInfinity ? x >> 16 | 0x40 : round_off(x, 16);
}

inline std::uint32_t round_to_fp16(std::uint32_t x) noexcept {
    const std::uint32_t magnitude = x & kMagnitudeMask;
    const std::uint32_t mantissa = x & 0x7fffff;
    const std::uint32_t exponent = magnitude >> 23;
    // A denormal counts units of 2^-24; the element is its 24 digits times 2^(exponent - 150). 26 places leave nothing.
    const std::uint32_t places = exponent < 100 ? 26 : (exponent < 125 ? 126 - exponent : 1);
    const std::uint32_t denormal = round_off(mantissa | 0x800000, places);
    const std::uint32_t rounded = round_off(magnitude - 0x38000000, 13);  // the bias goes from 127 to 15
    const std::uint32_t normal = magnitude >= 0x47800000 ? 0x7c00 : rounded;
    const std::uint32_t number = magnitude < kSmallestNormalFp16 ? denormal : normal;
    return (x >> 16 & 0x8000) | (magnitude > kInfinity ? 0x7e00 | mantissa >> 13 : number);
}

template <typename T, int kDerivation>
void derive(const std::uint8_t* __restrict companion, std::uint8_t* __restrict out, std::size_t n_elements) noexcept {
    for (std::size_t i = 0; i < n_elements; ++i) {
        const auto x = load<std::uint32_t>(companion + 4 * i);
        std::uint32_t derived = x;  // derivation 3: the lower half
        if constexpr (kDerivation == 0) derived = round_to_bf16(x);
        if constexpr (kDerivation == 1) derived = x >> 16;
        if constexpr (kDerivation == 2) derived = round_to_fp16(x);
        const T element = static_cast<T>(derived);
        std::memcpy(out + sizeof(T) * i, &element, sizeof(T));
    }
}

}  // namespace
}  // namespace weightzip
