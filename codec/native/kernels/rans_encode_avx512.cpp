// Built for AVX-512 (F, BW, VL, VBMI, VBMI2), BMI2 and POPCNT. A step encodes 32 elements, its lanes in two vectors of 16.
#include "kernels/rans_encode.hpp"

#include <immintrin.h>

namespace weightzip {
namespace {

constexpr std::size_t kVectorLanes = 16;
constexpr std::size_t kVectors = kLanes / kVectorLanes;

// The entries of 32 symbols.
struct Entries {
    __m512i reciprocal[kVectors];
    __m512i packed[kVectors];
};

inline __m256i load_half(const std::uint8_t* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

// Single loads of whole entries: two gathers of their halves take longer (measured on Zen 4).
template <bool kContexts>
struct WideLookup {
    static constexpr bool kUsesContexts = kContexts;
    const EncodeEntry* table;

    explicit WideLookup(const EncodeTable& encode_table) noexcept : table(encode_table.entries) {}

    __m256 load_four(const std::uint16_t* low, const std::uint16_t* high) const noexcept {
        const auto load_two = [this](const std::uint16_t* numbers) {
            const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(table + numbers[0]));
            return _mm_loadh_pi(_mm_castsi128_ps(first), reinterpret_cast<const __m64*>(table + numbers[1]));
        };
        return _mm256_set_m128(load_two(high), load_two(low));
    }

    void operator()(const std::uint8_t* symbols, const std::uint8_t* contexts, Entries& entries) const noexcept {
        alignas(64) std::uint16_t numbers[kLanes];
        __m512i wide = _mm512_cvtepu8_epi16(load_half(symbols));
        if constexpr (kContexts) {
            wide = _mm512_or_si512(wide, _mm512_slli_epi16(_mm512_cvtepu8_epi16(load_half(contexts)), 8));
        }
        _mm512_store_si512(numbers, wide);
        __m256i reciprocal[2 * kVectors];
        __m256i packed[2 * kVectors];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < 2 * kVectors; ++v) {
            const std::uint16_t* n = numbers + 8 * v;
            const __m256 a = load_four(n, n + 4);
            const __m256 b = load_four(n + 2, n + 6);
            reciprocal[v] = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
            packed[v] = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd));
        }
#pragma GCC unroll 2
        for (std::size_t v = 0; v < kVectors; ++v) {
            entries.reciprocal[v] =
                _mm512_inserti64x4(_mm512_castsi256_si512(reciprocal[2 * v]), reciprocal[2 * v + 1], 1);
            entries.packed[v] = _mm512_inserti64x4(_mm512_castsi256_si512(packed[2 * v]), packed[2 * v + 1], 1);
        }
    }
};

// 16 entries fit in two registers.
struct NarrowLookup {
    static constexpr bool kUsesContexts = false;
    __m512i reciprocal;
    __m512i packed;
    __m256i first;
    __m256i last;

    static __m512i join(const std::uint8_t (&bytes)[4][16]) noexcept {
        __m512i field = _mm512_setzero_si512();
        for (unsigned k = 4; k-- > 0;) {
            const __m128i sixteen = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes[k]));
            field = _mm512_or_si512(_mm512_slli_epi32(field, 8), _mm512_cvtepu8_epi32(sixteen));
        }
        return field;
    }

    explicit NarrowLookup(const EncodeTable& table) noexcept
        : reciprocal(join(table.narrow->reciprocal)),
          packed(join(table.narrow->packed)),
          first(_mm256_set1_epi8(static_cast<char>(table.narrow->first))),
          last(_mm256_set1_epi8(static_cast<char>(table.narrow->last))) {}

    void operator()(const std::uint8_t* symbols, const std::uint8_t*, Entries& entries) const noexcept {
        const __m256i numbers = _mm256_min_epu8(_mm256_sub_epi8(load_half(symbols), first), last);
        const __m512i low = _mm512_cvtepu8_epi32(_mm256_castsi256_si128(numbers));
        const __m512i high = _mm512_cvtepu8_epi32(_mm256_extracti128_si256(numbers, 1));
        entries.reciprocal[0] = _mm512_permutexvar_epi32(low, reciprocal);
        entries.reciprocal[1] = _mm512_permutexvar_epi32(high, reciprocal);
        entries.packed[0] = _mm512_permutexvar_epi32(low, packed);
        entries.packed[1] = _mm512_permutexvar_epi32(high, packed);
    }
};

// The steps of all lanes but for the words: x before, x after, and the mask of the lanes that put out a word.
struct Stepper {
    __m128i top_shift;
    __m512i total;

    explicit Stepper(unsigned prob_bits) noexcept
        : top_shift(_mm_cvtsi32_si128(static_cast<int>(32 - prob_bits))),
          total(_mm512_set1_epi32(1 << prob_bits)) {}

    __m512i operator()(__m512i x, __m512i reciprocal, __m512i packed, __mmask16& mask) const noexcept {
        const __m512i frequency = _mm512_and_si512(packed, _mm512_set1_epi32(0x1fff));
        const __m512i start = _mm512_and_si512(_mm512_srli_epi32(packed, 13), _mm512_set1_epi32(0xfff));
        const __m512i shift = _mm512_and_si512(_mm512_srli_epi32(packed, 25), _mm512_set1_epi32(15));
        const __m512i increment = _mm512_srli_epi32(packed, 29);
        // The last state that stays, off the chain from state to state. With frequency 2^prob_bits all do.
        const __m512i last = _mm512_sub_epi32(_mm512_sll_epi32(frequency, top_shift), _mm512_set1_epi32(1));
        mask = _mm512_cmpgt_epu32_mask(x, last);
        x = _mm512_mask_srli_epi32(x, mask, x, 16);
        const __m512i dividend = _mm512_add_epi32(x, increment);
        const __m512i even = _mm512_mul_epu32(dividend, reciprocal);
        const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(dividend, 32), _mm512_srli_epi64(reciprocal, 32));
        const __m512i high = _mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), 0xaaaa, odd);
        const __m512i quotient = _mm512_srlv_epi32(high, shift);
        const __m512i rest = _mm512_mullo_epi32(quotient, _mm512_sub_epi32(total, frequency));
        return _mm512_add_epi32(_mm512_add_epi32(x, start), rest);
    }
};

// Puts the words of the lanes in mask, in order, before end.
inline std::uint16_t* put_words(__m512i words, __mmask32 mask, std::uint16_t* end) noexcept {
    alignas(64) static constexpr std::uint16_t kPlaces[kLanes] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                                  11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                                  22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    const int n_words = _mm_popcnt_u32(_cvtmask32_u32(mask));
    const __m512i packed = _mm512_maskz_compress_epi16(mask, words);
    // Rotated so that the words end where the vector ends: nothing behind them is written again.
    const __m512i places =
        _mm512_add_epi16(_mm512_load_si512(kPlaces), _mm512_set1_epi16(static_cast<short>(n_words)));
    _mm512_storeu_si512(end - kLanes, _mm512_permutexvar_epi16(places, packed));
    return end - n_words;
}

template <typename Lookup>
std::uint16_t* encode_steps(const EncodeTable& table, const std::uint8_t* symbols, const std::uint8_t* contexts,
                            std::size_t n_steps, std::uint16_t* word, std::uint32_t* states) noexcept {
    const Lookup lookup(table);
    const Stepper step(table.prob_bits);
    __m512i low = _mm512_loadu_si512(states);
    __m512i high = _mm512_loadu_si512(states + kVectorLanes);
    for (std::size_t i = kLanes * n_steps; i != 0;) {
        i -= kLanes;
        Entries entries;
        lookup(symbols + i, Lookup::kUsesContexts ? contexts + i : nullptr, entries);
        const __m512i words = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(low)),
                                                 _mm512_cvtepi32_epi16(high), 1);
        __mmask16 low_mask;
        __mmask16 high_mask;
        low = step(low, entries.reciprocal[0], entries.packed[0], low_mask);
        high = step(high, entries.reciprocal[1], entries.packed[1], high_mask);
        word = put_words(words, _mm512_kunpackw(high_mask, low_mask), word);
    }
    _mm512_storeu_si512(states, low);
    _mm512_storeu_si512(states + kVectorLanes, high);
    return word;
}

}  // namespace
}  // namespace weightzip

#include "kernels/rans_encode_rest.inl"

namespace weightzip {

std::uint16_t* rans_encode_avx512(const EncodeTable& table, const std::uint8_t* symbols, const std::uint8_t* contexts,
                                  std::size_t n_symbols, std::uint16_t* words_end, std::uint32_t* states) noexcept {
    return encode_symbols(table, symbols, contexts, n_symbols, words_end, states);
}

}  // namespace weightzip
