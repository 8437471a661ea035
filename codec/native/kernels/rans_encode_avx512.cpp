// Built for AVX-512 (F, BW, VL, VBMI, VBMI2), BMI2 and POPCNT. A step encodes 32 elements, its lanes in two vectors
// of 16.
#include "kernels/rans_encode.hpp"

#include <immintrin.h>

#include "kernels/rans_encode_ahead.inl"

namespace weightzip {
namespace {

constexpr std::size_t kVectorLanes = 16;
constexpr std::size_t kVectors = kLanes / kVectorLanes;

// What the steps of 16 lanes need of their entries.
struct Fields {
    __m512i reciprocal;
    __m512i last;        // the last state that stays as it is before the division
    __m512i increment;
    __m512i shift;
    __m512i start;
    __m512i complement;  // of the frequency
};

// Takes entries apart. With frequency 2^prob_bits every state stays.
struct Unpacker {
    __m128i top_shift;
    __m512i total;

    explicit Unpacker(unsigned prob_bits) noexcept
        : top_shift(_mm_cvtsi32_si128(static_cast<int>(32 - prob_bits))),
          total(_mm512_set1_epi32(1 << prob_bits)) {}

    Fields operator()(__m512i reciprocal, __m512i packed) const noexcept {
        const __m512i frequency = _mm512_and_si512(packed, _mm512_set1_epi32(0x1fff));
        return {reciprocal,
                _mm512_sub_epi32(_mm512_sll_epi32(frequency, top_shift), _mm512_set1_epi32(1)),
                _mm512_srli_epi32(packed, 29),
                _mm512_and_si512(_mm512_srli_epi32(packed, 25), _mm512_set1_epi32(15)),
                _mm512_and_si512(_mm512_srli_epi32(packed, 13), _mm512_set1_epi32(0xfff)),
                _mm512_sub_epi32(total, frequency)};
    }
};

inline __m256i load_half(const std::uint8_t* from) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

// Single loads of whole entries: two gathers of their halves take longer (measured on Zen 4).
template <bool kContexts>
struct WideLookup {
    static constexpr bool kUsesContexts = kContexts;
    static constexpr bool kIncrements = true;
    const EncodeEntry* table;
    Unpacker unpack;

    explicit WideLookup(const EncodeTable& encode_table) noexcept
        : table(encode_table.entries), unpack(encode_table.prob_bits) {}

    __m256 load_four(const std::uint16_t* low, const std::uint16_t* high) const noexcept {
        const auto load_two = [this](const std::uint16_t* numbers) {
            const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(table + numbers[0]));
            return _mm_loadh_pi(_mm_castsi128_ps(first), reinterpret_cast<const __m64*>(table + numbers[1]));
        };
        return _mm256_set_m128(load_two(high), load_two(low));
    }

    void operator()(const std::uint8_t* symbols, const std::uint8_t* contexts, Fields* fields) const noexcept {
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
            fields[v] =
                unpack(_mm512_inserti64x4(_mm512_castsi256_si512(reciprocal[2 * v]), reciprocal[2 * v + 1], 1),
                       _mm512_inserti64x4(_mm512_castsi256_si512(packed[2 * v]), packed[2 * v + 1], 1));
        }
    }
};

// Each field of 16 entries fits in a register.
template <bool kSomeIncrement>
struct NarrowLookup {
    static constexpr bool kUsesContexts = false;
    static constexpr bool kIncrements = kSomeIncrement;
    Fields table;
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

    explicit NarrowLookup(const EncodeTable& encode_table) noexcept
        : table(Unpacker(encode_table.prob_bits)(join(encode_table.narrow->reciprocal),
                                                 join(encode_table.narrow->packed))),
          first(_mm256_set1_epi8(static_cast<char>(encode_table.narrow->first))),
          last(_mm256_set1_epi8(static_cast<char>(encode_table.narrow->last))) {}

    Fields look_up(__m128i sixteen) const noexcept {
        const __m512i numbers = _mm512_cvtepu8_epi32(sixteen);
        const auto pick = [numbers](__m512i field) { return _mm512_permutexvar_epi32(numbers, field); };
        return {pick(table.reciprocal), pick(table.last),  pick(table.increment),
                pick(table.shift),      pick(table.start), pick(table.complement)};
    }

    void operator()(const std::uint8_t* symbols, const std::uint8_t*, Fields* fields) const noexcept {
        const __m256i numbers = _mm256_min_epu8(_mm256_sub_epi8(load_half(symbols), first), last);
        fields[0] = look_up(_mm256_castsi256_si128(numbers));
        fields[1] = look_up(_mm256_extracti128_si256(numbers, 1));
    }
};

// The steps of 16 lanes but for the words: x before, x after, and the mask of the lanes that put out a word.
template <bool kIncrements>
inline __m512i step(__m512i x, const Fields& fields, __mmask16& mask) noexcept {
    mask = _mm512_cmpgt_epu32_mask(x, fields.last);
    x = _mm512_mask_srli_epi32(x, mask, x, 16);
    const __m512i dividend = kIncrements ? _mm512_add_epi32(x, fields.increment) : x;
    const __m512i even = _mm512_mul_epu32(dividend, fields.reciprocal);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(dividend, 32), _mm512_srli_epi64(fields.reciprocal, 32));
    // The upper halves of all products.
    const __m512i high = _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
    const __m512i quotient = _mm512_srlv_epi32(high, fields.shift);
    const __m512i rest = _mm512_mullo_epi32(quotient, fields.complement);
    return _mm512_add_epi32(_mm512_add_epi32(x, fields.start), rest);
}

// 0, 1, 2 ...: lane numbers, from any place modulo their count.
struct Places {
    alignas(64) std::uint16_t places[2 * kLanes];

    constexpr Places() : places{} {
        for (std::size_t i = 0; i < 2 * kLanes; ++i) places[i] = static_cast<std::uint16_t>(i);
    }
    __m512i from(std::size_t first) const noexcept { return _mm512_loadu_si512(places + first); }
};

constexpr Places kPlaces;

// Puts the words of the lanes in mask, in order, before end.
inline std::uint16_t* put_words(__m512i words, __mmask32 mask, std::uint16_t* end) noexcept {
    const auto n_words = static_cast<unsigned>(_mm_popcnt_u32(_cvtmask32_u32(mask)));
    const __m512i packed = _mm512_maskz_compress_epi16(mask, words);
    // Rotated so that the words end where the vector ends: nothing behind them is written again.
    _mm512_storeu_si512(end - kLanes, _mm512_permutexvar_epi16(kPlaces.from(n_words), packed));
    return end - n_words;
}

template <typename Lookup>
std::uint16_t* encode_steps(const EncodeTable& table, const std::uint8_t* symbols, const std::uint8_t* contexts,
                            std::size_t n_steps, Ahead ahead, std::uint16_t* word, std::uint32_t* states) noexcept {
    const Lookup lookup(table);
    const __m512i lower_halves = _mm512_slli_epi16(kPlaces.from(0), 1);
    __m512i low = _mm512_loadu_si512(states);
    __m512i high = _mm512_loadu_si512(states + kVectorLanes);
    for (std::size_t i = kLanes * n_steps; i != 0;) {
        i -= kLanes;
        ahead.fetch_line();
        Fields fields[kVectors];
        lookup(symbols + i, Lookup::kUsesContexts ? contexts + i : nullptr, fields);
        const __m512i words = _mm512_permutex2var_epi16(low, lower_halves, high);
        __mmask16 low_mask;
        __mmask16 high_mask;
        low = step<Lookup::kIncrements>(low, fields[0], low_mask);
        high = step<Lookup::kIncrements>(high, fields[1], high_mask);
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
                                  std::size_t n_symbols, const std::uint8_t* ahead, std::uint16_t* words_end,
                                  std::uint32_t* states) noexcept {
    return encode_symbols(table, symbols, contexts, n_symbols, ahead, words_end, states);
}

}  // namespace weightzip
