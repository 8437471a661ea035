// Context keys of scales, straight from their logarithms (docs/format.md "Factors", "Recipe"). Part of elementwise.inl.

namespace weightzip {
namespace {

template <typename T, Share kShare>
void find_shared_keys(const std::uint8_t* __restrict predecessor, const std::int32_t* __restrict offsets,
                      std::uint8_t* __restrict keys, std::size_t n_elements, unsigned mantissa_bits, unsigned shift,
                      std::int32_t base) noexcept {
    const LogScale logs(mantissa_bits);
    const std::int32_t top = PowerScale<T>(mantissa_bits).top;
    for (std::size_t i = 0; i < n_elements; ++i) {
        std::int32_t level = offsets[i];
        if constexpr (kShare == Share::minus_exponent) level -= logs.exponent_log(load<T>(predecessor + sizeof(T) * i));
        level = level > 0 ? level : 0;
        level = level < top ? level : top;
        const std::int32_t half_octaves = (level >> 8 << 1) + ((level & 255) >= kUpperHalf ? 1 : 0);
        std::int32_t key = (half_octaves >> shift) - base;
        key = key > 0 ? key : 0;
        keys[i] = static_cast<std::uint8_t>(key < 255 ? key : 255);
    }
}

template <typename T>
void find_scale_keys(const std::uint8_t* predecessor, const std::int32_t* offsets, std::uint8_t* keys,
                     std::size_t n_elements, unsigned mantissa_bits, unsigned weight, unsigned key_shift,
                     std::uint32_t key_base) noexcept {
    // Half octaves are below 2^12.
    const unsigned octaves_shift = key_shift + 1 - mantissa_bits;
    const unsigned shift = octaves_shift < 12 ? octaves_shift : 12;
    const auto base = static_cast<std::int32_t>(key_base < 1u << 12 ? key_base : 1u << 12);
    if (weight == kMinusExponentWeight) {
        return find_shared_keys<T, Share::minus_exponent>(predecessor, offsets, keys, n_elements, mantissa_bits, shift, base);
    }
    find_shared_keys<T, Share::nothing>(nullptr, offsets, keys, n_elements, mantissa_bits, shift, base);
}

}  // namespace
}  // namespace weightzip
