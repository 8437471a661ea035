// The sizes of changes, as whole numbers that add up. Part of elementwise.inl.

namespace weightzip {
namespace {

inline constexpr unsigned kTopBit = 29;  // of the largest: two of opposite signs are 2^31 apart at most

// An element's upper 32 bits as a fixed-point number.
struct FixedPoint {
    unsigned mantissa_bits;
    unsigned up;
    unsigned down;
    std::int32_t top_exponent;

    FixedPoint(unsigned bits, unsigned top) noexcept
        : mantissa_bits(bits), up(bits < kTopBit ? kTopBit - bits : 0), down(bits < kTopBit ? 0 : bits - kTopBit),
          top_exponent(static_cast<std::int32_t>(top)) {}

    template <typename T>
    std::int32_t convert(T element) const noexcept {
        constexpr std::uint32_t magnitude_mask = (1u << (kBits<T> - 1)) - 1;
        const std::uint32_t magnitude = element & magnitude_mask;
        const auto exponent = static_cast<std::int32_t>(magnitude >> mantissa_bits);
        const std::uint32_t first_digit = exponent == 0 ? 0 : 1u << mantissa_bits;
        const std::uint32_t digits = (magnitude & ((1u << mantissa_bits) - 1)) | first_digit;
        const std::int32_t below = top_exponent - (exponent == 0 ? 1 : exponent);
        const std::int32_t places = below < 0 ? 0 : (below < 31 ? below : 31);
        const auto value = static_cast<std::int32_t>(digits << up >> down >> places);
        return (element & ~magnitude_mask) != 0 ? -value : value;
    }
};

template <typename T>
inline auto load_upper(const std::uint8_t* from) noexcept {
    if constexpr (sizeof(T) == 8) return load<std::uint32_t>(from + 4);
    if constexpr (sizeof(T) < 8) return load<T>(from);
}

template <typename T, bool kDiffers>
std::uint64_t add_sizes(const std::uint8_t* __restrict raw, const std::uint8_t* __restrict predecessor,
                        std::uint64_t* __restrict sums, std::size_t n_elements, const FixedPoint& fixed) noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n_elements; ++i) {
        const std::int32_t x = fixed.convert(load_upper<T>(raw + sizeof(T) * i));
        std::int32_t p = 0;
        if constexpr (kDiffers) p = fixed.convert(load_upper<T>(predecessor + sizeof(T) * i));
        const auto size = static_cast<std::uint32_t>(x < p ? p - x : x - p);
        sums[i] += size;
        sum += size;
    }
    return sum;
}

template <typename T>
std::uint64_t add_changes(const std::uint8_t* raw, const std::uint8_t* predecessor, std::uint64_t* sums,
                          std::size_t n_elements, unsigned mantissa_bits, unsigned top_exponent) noexcept {
    const FixedPoint fixed(sizeof(T) == 8 ? mantissa_bits - 32 : mantissa_bits, top_exponent);
    return predecessor == nullptr ? add_sizes<T, false>(raw, nullptr, sums, n_elements, fixed)
                                  : add_sizes<T, true>(raw, predecessor, sums, n_elements, fixed);
}

}  // namespace
}  // namespace weightzip
