// Built for AVX2, BMI2 and POPCNT. A step encodes 32 elements, its lanes in four vectors of 8.
#include "kernels/rans_encode.hpp"

#include <immintrin.h>

#include "kernels/rans_encode_ahead.inl"

namespace weightzip {
namespace {

constexpr std::size_t kVectors = kLanes / 8;

// For each mask of 8 lanes: the shuffle that moves their words, in order, to the end of 8 words.
struct WordPacks {
    alignas(16) std::uint8_t pack[256][16];

    constexpr WordPacks() : pack{} {
        for (unsigned mask = 0; mask < 256; ++mask) {
            unsigned place = 8;
            for (unsigned lane = 8; lane-- > 0;) {
                if ((mask >> lane & 1) == 0) continue;
                --place;
                pack[mask][2 * place] = static_cast<std::uint8_t>(2 * lane);
                pack[mask][2 * place + 1] = static_cast<std::uint8_t>(2 * lane + 1);
            }
            while (place-- > 0) pack[mask][2 * place] = pack[mask][2 * place + 1] = 0x80;
        }
    }
};

constexpr WordPacks kWordPacks;

// The entries of 32 symbols.
struct Entries {
    __m256i reciprocal[kVectors];
    __m256i packed[kVectors];
};

// Single loads of whole entries: two gathers of their halves take longer (measured on Zen 4).
template <bool kContexts>
struct WideLookup {
    static constexpr bool kUsesContexts = kContexts;
    static constexpr bool kIncrements = true;
    const EncodeEntry* table;

    explicit WideLookup(const EncodeTable& encode_table) noexcept : table(encode_table.entries) {}

    // Writes the numbers of the entries of 32 symbols.
    static void find_numbers(const std::uint8_t* symbols, const std::uint8_t* contexts,
                             std::uint16_t* numbers) noexcept {
        for (std::size_t i = 0; i < kLanes; i += 16) {
            const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(symbols + i));
            __m128i high = _mm_setzero_si128();
            if constexpr (kContexts) high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(contexts + i));
            _mm_store_si128(reinterpret_cast<__m128i*>(numbers + i), _mm_unpacklo_epi8(sixteen, high));
            _mm_store_si128(reinterpret_cast<__m128i*>(numbers + i + 8), _mm_unpackhi_epi8(sixteen, high));
        }
    }

    __m128 load_two(std::uint16_t a, std::uint16_t b) const noexcept {
        const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(table + a));
        return _mm_loadh_pi(_mm_castsi128_ps(first), reinterpret_cast<const __m64*>(table + b));
    }

    void operator()(const std::uint8_t* symbols, const std::uint8_t* contexts, Entries& entries) const noexcept {
        alignas(16) std::uint16_t numbers[kLanes];
        find_numbers(symbols, contexts, numbers);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
            const std::uint16_t* n = numbers + 8 * v;
            const __m256 a = _mm256_set_m128(load_two(n[4], n[5]), load_two(n[0], n[1]));
            const __m256 b = _mm256_set_m128(load_two(n[6], n[7]), load_two(n[2], n[3]));
            entries.reciprocal[v] = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
            entries.packed[v] = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd));
        }
    }
};

template <bool kSomeIncrement>
struct NarrowLookup {
    static constexpr bool kUsesContexts = false;
    static constexpr bool kIncrements = kSomeIncrement;
    const NarrowEncodeTable& table;

    explicit NarrowLookup(const EncodeTable& encode_table) noexcept : table(*encode_table.narrow) {}

    // Looks the four bytes of a field up and puts them together; numbers are in the order that unpacking undoes.
    static void gather(const std::uint8_t (&bytes)[4][16], __m256i numbers, __m256i* field) noexcept {
        __m256i byte[4];
#pragma GCC unroll 4
        for (std::size_t k = 0; k < 4; ++k) {
            const __m128i sixteen = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes[k]));
            byte[k] = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(sixteen), numbers);
        }
        const __m256i low_a = _mm256_unpacklo_epi8(byte[0], byte[1]);
        const __m256i low_b = _mm256_unpackhi_epi8(byte[0], byte[1]);
        const __m256i high_a = _mm256_unpacklo_epi8(byte[2], byte[3]);
        const __m256i high_b = _mm256_unpackhi_epi8(byte[2], byte[3]);
        field[0] = _mm256_unpacklo_epi16(low_a, high_a);
        field[1] = _mm256_unpackhi_epi16(low_a, high_a);
        field[2] = _mm256_unpacklo_epi16(low_b, high_b);
        field[3] = _mm256_unpackhi_epi16(low_b, high_b);
    }

    void operator()(const std::uint8_t* symbols, const std::uint8_t*, Entries& entries) const noexcept {
        const __m256i order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
        const __m256i first = _mm256_set1_epi8(static_cast<char>(table.first));
        const __m256i last = _mm256_set1_epi8(static_cast<char>(table.last));
        const __m256i loaded = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(symbols));
        const __m256i numbers = _mm256_min_epu8(_mm256_sub_epi8(loaded, first), last);
        const __m256i ordered = _mm256_permutevar8x32_epi32(numbers, order);
        gather(table.reciprocal, ordered, entries.reciprocal);
        gather(table.packed, ordered, entries.packed);
    }
};

inline std::uint16_t* put_words(__m128i words, unsigned mask, std::uint16_t* end) noexcept {
    const __m128i pack = _mm_load_si128(reinterpret_cast<const __m128i*>(kWordPacks.pack[mask]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(end - 8), _mm_shuffle_epi8(words, pack));
    return end - _mm_popcnt_u32(mask);
}

// The steps of all lanes but for the words: x before, x after, and the masks of the lanes that put out a word.
template <bool kIncrements>
struct Stepper {
    __m128i top_shift;
    __m256i total;

    explicit Stepper(unsigned prob_bits) noexcept
        : top_shift(_mm_cvtsi32_si128(static_cast<int>(32 - prob_bits))),
          total(_mm256_set1_epi32(1 << prob_bits)) {}

    __m256i operator()(__m256i x, __m256i reciprocal, __m256i packed, unsigned& mask) const noexcept {
        const __m256i frequency = _mm256_and_si256(packed, _mm256_set1_epi32(0x1fff));
        const __m256i start = _mm256_and_si256(_mm256_srli_epi32(packed, 13), _mm256_set1_epi32(0xfff));
        const __m256i shift = _mm256_and_si256(_mm256_srli_epi32(packed, 25), _mm256_set1_epi32(15));
        const __m256i stays = _mm256_cmpgt_epi32(frequency, _mm256_srl_epi32(x, top_shift));
        mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(stays))) ^ 0xffu;
        x = _mm256_blendv_epi8(_mm256_srli_epi32(x, 16), x, stays);
        const __m256i dividend = kIncrements ? _mm256_add_epi32(x, _mm256_srli_epi32(packed, 29)) : x;
        const __m256i even = _mm256_mul_epu32(dividend, reciprocal);
        const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(dividend, 32), _mm256_srli_epi64(reciprocal, 32));
        const __m256i high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
        const __m256i quotient = _mm256_srlv_epi32(high, shift);
        const __m256i rest = _mm256_mullo_epi32(quotient, _mm256_sub_epi32(total, frequency));
        return _mm256_add_epi32(_mm256_add_epi32(x, start), rest);
    }
};

template <typename Lookup>
std::uint16_t* encode_steps(const EncodeTable& table, const std::uint8_t* symbols, const std::uint8_t* contexts,
                            std::size_t n_steps, Ahead ahead, std::uint16_t* word, std::uint32_t* states) noexcept {
    const Lookup lookup(table);
    const Stepper<Lookup::kIncrements> step(table.prob_bits);
    const __m256i low_half = _mm256_set1_epi32(0xffff);
    __m256i x[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
        x[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(states + 8 * v));
    }
    for (std::size_t i = kLanes * n_steps; i != 0;) {
        i -= kLanes;
        ahead.fetch_line();
        Entries entries;
        lookup(symbols + i, Lookup::kUsesContexts ? contexts + i : nullptr, entries);
        unsigned mask[kVectors];
        __m256i words[kVectors];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
            words[v] = _mm256_and_si256(x[v], low_half);
            x[v] = step(x[v], entries.reciprocal[v], entries.packed[v], mask[v]);
        }
#pragma GCC unroll 2
        for (std::size_t v = kVectors; v != 0; v -= 2) {
            const __m256i both = _mm256_permute4x64_epi64(_mm256_packus_epi32(words[v - 2], words[v - 1]), 0xd8);
            word = put_words(_mm256_extracti128_si256(both, 1), mask[v - 1], word);
            word = put_words(_mm256_castsi256_si128(both), mask[v - 2], word);
        }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(states + 8 * v), x[v]);
    }
    return word;
}

}  // namespace
}  // namespace weightzip

#include "kernels/rans_encode_rest.inl"

namespace weightzip {

std::uint16_t* rans_encode_avx2(const EncodeTable& table, const std::uint8_t* symbols, const std::uint8_t* contexts,
                                std::size_t n_symbols, const std::uint8_t* ahead, std::uint16_t* words_end,
                                std::uint32_t* states) noexcept {
    return encode_symbols(table, symbols, contexts, n_symbols, ahead, words_end, states);
}

}  // namespace weightzip
