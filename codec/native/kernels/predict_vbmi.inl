// Prediction with AVX-512: its byte permutations look up a table of 256 bytes in registers, which is what takes the
// time elsewhere. Part of predict.inl, for elements of up to 4 bytes.

namespace weightzip {
namespace {

// Elements at a time, each in 32 bits.
constexpr std::size_t kVectorElements = 16;

struct ByteLookup {
    __m512i quarters[4];

    explicit ByteLookup(const ByteTable<std::uint8_t>& table) noexcept {
        for (std::size_t q = 0; q < 4; ++q) quarters[q] = _mm512_loadu_si512(table.values + 64 * q);
    }
    // Looks up every byte.
    __m512i operator()(__m512i indices) const noexcept {
        const __m512i low = _mm512_permutex2var_epi8(quarters[0], indices, quarters[1]);
        const __m512i high = _mm512_permutex2var_epi8(quarters[2], indices, quarters[3]);
        return _mm512_mask_blend_epi8(_mm512_movepi8_mask(indices), low, high);
    }
};

inline __m128i count_of(unsigned n_bits) noexcept { return _mm_cvtsi32_si128(static_cast<int>(n_bits)); }

template <typename T>
inline __m512i load_wide(const std::uint8_t* from) noexcept {
    if constexpr (sizeof(T) == 4) return _mm512_loadu_si512(from);
    if constexpr (sizeof(T) == 2) return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    if constexpr (sizeof(T) == 1) return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

template <typename T>
inline void store_narrow(std::uint8_t* to, __m512i elements) noexcept {
    if constexpr (sizeof(T) == 4) _mm512_storeu_si512(to, elements);
    if constexpr (sizeof(T) == 2) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(elements));
    if constexpr (sizeof(T) == 1) _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(elements));
}

template <typename T>
struct VectorLogs {
    ByteLookup excess{kLogExcessBytes};
    __m512i mask = _mm512_set1_epi32(static_cast<T>(static_cast<T>(~T{0}) >> 1));
    __m128i up;
    __m128i down;

    explicit VectorLogs(const LogScale& scale) noexcept : up(count_of(scale.up)), down(count_of(scale.down)) {}

    __m512i linear(const std::uint8_t* elements) const noexcept {
        const __m512i magnitude = _mm512_and_si512(load_wide<T>(elements), mask);
        return _mm512_srl_epi32(_mm512_sll_epi32(magnitude, up), down);
    }
    __m512i log(const std::uint8_t* elements) const noexcept {
        const __m512i level = linear(elements);
        return _mm512_add_epi32(level, _mm512_and_si512(excess(level), _mm512_set1_epi32(255)));
    }
    __m512i exponent_log(const std::uint8_t* elements) const noexcept {
        return _mm512_andnot_si512(_mm512_set1_epi32(255), linear(elements));
    }
};

template <typename T>
struct VectorPowers {
    ByteLookup low{kPowerLowBytes};
    ByteLookup high{kPowerHighBytes};
    __m512i top;
    __m128i up;
    __m128i down;
    __m128i mantissa_bits;

    explicit VectorPowers(const PowerScale<T>& scale) noexcept
        : top(_mm512_set1_epi32(scale.top)), up(count_of(scale.up)), down(count_of(scale.down)),
          mantissa_bits(count_of(scale.mantissa_bits)) {}

    __m512i power(__m512i level) const noexcept {
        level = _mm512_min_epi32(_mm512_max_epi32(level, _mm512_setzero_si512()), top);
        const __m512i low_bytes = _mm512_and_si512(low(level), _mm512_set1_epi32(255));
        const __m512i high_bytes = _mm512_and_si512(high(level), _mm512_set1_epi32(255));
        const __m512i table_bits = _mm512_or_si512(_mm512_slli_epi32(high_bytes, 8), low_bytes);
        const __m512i mantissa = _mm512_srl_epi32(_mm512_sll_epi32(table_bits, up), down);
        return _mm512_or_si512(_mm512_sll_epi32(_mm512_srli_epi32(level, 8), mantissa_bits), mantissa);
    }
};

// Both do as many elements as fill vectors, and return how many that were.
template <typename T>
std::size_t find_logs_in_vectors(const std::uint8_t* elements, std::int32_t* logs, std::size_t n_elements,
                                 const LogScale& scale) noexcept {
    const VectorLogs<T> vector(scale);
    std::size_t i = 0;
    for (; i + kVectorElements <= n_elements; i += kVectorElements) {
        _mm512_storeu_si512(logs + i, vector.log(elements + sizeof(T) * i));
    }
    return i;
}

template <typename T, Share kShare>
std::size_t predict_in_vectors(const std::uint8_t* predecessor, const std::int32_t* offsets, std::uint8_t* predicted,
                               std::size_t n_elements, const LogScale& log_scale, const PowerScale<T>& power_scale,
                               std::int32_t weight) noexcept {
    const VectorLogs<T> logs(log_scale);
    const VectorPowers<T> powers(power_scale);
    const __m512i weights = _mm512_set1_epi32(weight);
    std::size_t i = 0;
    for (; i + kVectorElements <= n_elements; i += kVectorElements) {
        __m512i level = _mm512_loadu_si512(offsets + i);
        if constexpr (kShare == Share::weighted_log) {
            const __m512i weighted = _mm512_mullo_epi32(logs.log(predecessor + sizeof(T) * i), weights);
            level = _mm512_add_epi32(level, _mm512_srai_epi32(weighted, 4));
        }
        if constexpr (kShare == Share::minus_exponent) {
            level = _mm512_sub_epi32(level, logs.exponent_log(predecessor + sizeof(T) * i));
        }
        store_narrow<T>(predicted + sizeof(T) * i, powers.power(level));
    }
    return i;
}

}  // namespace
}  // namespace weightzip
