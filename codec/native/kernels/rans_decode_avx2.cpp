// Built for AVX2, BMI2 and POPCNT. A step decodes 32 elements of each stream, its lanes in four vectors of 8. The
// phases of a step (look up, renormalise, store) run for all streams before the next phase begins: the streams'
// dependency chains then overlap.
#include "kernels/rans_decode.hpp"

#include <immintrin.h>

#include <cstring>

#include "kernels/rans_decode_steps.inl"

namespace weightzip {
namespace {

constexpr std::size_t kVectors = kLanes / 8;

// For each mask of 8 lanes: the byte shuffle that gives the lanes their words, in order, and the other lanes 0. Both
// halves of the vector hold all of the next 8 words.
struct WordOrders {
    alignas(32) std::uint8_t order[256][32];

    constexpr WordOrders() : order{} {
        for (unsigned mask = 0; mask < 256; ++mask) {
            unsigned next = 0;
            for (unsigned lane = 0; lane < 8; ++lane) {
                const bool takes = (mask >> lane & 1) != 0;
                order[mask][4 * lane] = static_cast<std::uint8_t>(takes ? 2 * next : 0x80);
                order[mask][4 * lane + 1] = static_cast<std::uint8_t>(takes ? 2 * next + 1 : 0x80);
                order[mask][4 * lane + 2] = order[mask][4 * lane + 3] = 0x80;
                next += takes ? 1 : 0;
            }
        }
    }
};

constexpr WordOrders kWordOrders;

// The moving parts of a stream, in registers as far as they fit.
struct Lanes {
    __m256i x[kVectors];
    const std::uint8_t* words;
};

// Gives each lane below the floor its next word.
inline void renormalize(Lanes& lanes) noexcept {
    const __m256i below = _mm256_set1_epi32(0xffff);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
        const __m256i x = lanes.x[v];
        const __m256i takes = _mm256_cmpeq_epi32(_mm256_min_epu32(x, below), x);
        const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(takes)));
        const __m256i next =
            _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(lanes.words)));
        const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(kWordOrders.order[mask]));
        const __m256i taken = _mm256_or_si256(_mm256_slli_epi32(x, 16), _mm256_shuffle_epi8(next, order));
        lanes.x[v] = _mm256_blendv_epi8(x, taken, takes);
        lanes.words += 2 * _mm_popcnt_u32(mask);
    }
}

inline __m256i look_up(const std::uint32_t* entries, __m256i index) noexcept {
    const __m128i low = look_up_four(entries, _mm256_castsi256_si128(index));
    return _mm256_set_m128i(look_up_four(entries, _mm256_extracti128_si256(index, 1)), low);
}

// Looks the symbols up in a table in memory.
template <bool kContexts>
struct WideLookup {
    static constexpr bool kUsesContexts = kContexts;
    const std::uint32_t* entries;
    __m128i prob_bits;
    __m256i slot_mask;

    explicit WideLookup(const DecodeTable& table) noexcept
        : entries(table.entries),
          prob_bits(_mm_cvtsi32_si128(static_cast<int>(table.prob_bits))),
          slot_mask(_mm256_set1_epi32((1 << table.prob_bits) - 1)) {}

    // Steps all lanes and returns the symbols of lanes 0 to 31.
    __m256i operator()(Lanes& lanes, const std::uint8_t* contexts) const noexcept {
        const __m256i bias_mask = _mm256_set1_epi32(0xfff);
        const __m256i one = _mm256_set1_epi32(1);
        __m256i entry[kVectors];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
            __m256i slot = _mm256_and_si256(lanes.x[v], slot_mask);
            if constexpr (kContexts) {
                const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(contexts + 8 * v));
                slot = _mm256_or_si256(slot, _mm256_sll_epi32(_mm256_cvtepu8_epi32(eight), prob_bits));
            }
            entry[v] = look_up(entries, slot);
            const __m256i frequency = _mm256_add_epi32(_mm256_srli_epi32(entry[v], 20), one);
            const __m256i bias = _mm256_and_si256(_mm256_srli_epi32(entry[v], 8), bias_mask);
            const __m256i high = _mm256_srl_epi32(lanes.x[v], prob_bits);
            lanes.x[v] = _mm256_add_epi32(_mm256_mullo_epi32(frequency, high), bias);
        }
        const __m256i byte_mask = _mm256_set1_epi32(255);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) entry[v] = _mm256_and_si256(entry[v], byte_mask);
        const __m256i first = _mm256_packus_epi32(entry[0], entry[1]);
        const __m256i second = _mm256_packus_epi32(entry[2], entry[3]);
        return _mm256_packus_epi16(first, second);
    }
};

inline __m256i load_twice(const std::uint8_t* sixteen) noexcept {
    return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(sixteen)));
}

// Finds the symbols by comparing: bytes of all 32 lanes in one vector, tables of 16 bytes in registers. The order of
// the lanes in the packed vectors is that in which the unpacking undoes the packing. Narrow tables have 12 bits: as
// constants, shifts and masks leave the registers to the lanes.
template <unsigned kRounds>
struct NarrowLookup {
    static constexpr bool kUsesContexts = false;
    static constexpr int kProbBits = kMaxProbBits;
    static constexpr int kBucketShift = kProbBits - 4;
    const NarrowTable& table;
    __m256i base;

    explicit NarrowLookup(const DecodeTable& decode_table) noexcept
        : table(*decode_table.narrow),
          base(_mm256_sub_epi8(load_twice(table.base), _mm256_set1_epi8(static_cast<char>(kRounds)))) {}

    // The symbol number of each of 32 slots.
    __m256i find(__m256i slots_a, __m256i slots_b) const noexcept {
        const __m256i offset_mask = _mm256_set1_epi16((1 << kBucketShift) - 1);
        const __m256i bucket = _mm256_packus_epi16(_mm256_srli_epi16(slots_a, kBucketShift),
                                                   _mm256_srli_epi16(slots_b, kBucketShift));
        const __m256i offset =
            _mm256_packus_epi16(_mm256_and_si256(slots_a, offset_mask), _mm256_and_si256(slots_b, offset_mask));
        __m256i number = _mm256_shuffle_epi8(base, bucket);
#pragma GCC unroll 15
        for (unsigned r = 0; r < kRounds; ++r) {
            const __m256i threshold = _mm256_shuffle_epi8(load_twice(table.thresholds[r]), bucket);
            number = _mm256_sub_epi8(number, _mm256_cmpeq_epi8(_mm256_max_epu8(offset, threshold), offset));
        }
        return number;
    }

    __m256i operator()(Lanes& lanes, const std::uint8_t*) const noexcept {
        __m256i* x = lanes.x;
        const __m256i zero = _mm256_setzero_si256();
        const __m256i slot_mask = _mm256_set1_epi32((1 << kProbBits) - 1);
        const __m256i slots_a =
            _mm256_packus_epi32(_mm256_and_si256(x[0], slot_mask), _mm256_and_si256(x[1], slot_mask));
        const __m256i slots_b =
            _mm256_packus_epi32(_mm256_and_si256(x[2], slot_mask), _mm256_and_si256(x[3], slot_mask));
        const __m256i number = find(slots_a, slots_b);
        const __m256i frequency_low = _mm256_shuffle_epi8(load_twice(table.frequency_low), number);
        const __m256i frequency_high = _mm256_shuffle_epi8(load_twice(table.frequency_high), number);
        const __m256i start_low = _mm256_shuffle_epi8(load_twice(table.start_low), number);
        const __m256i start_high = _mm256_shuffle_epi8(load_twice(table.start_high), number);
        const __m256i frequency_a = _mm256_unpacklo_epi8(frequency_low, frequency_high);
        const __m256i frequency_b = _mm256_unpackhi_epi8(frequency_low, frequency_high);
        const __m256i bias_a = _mm256_sub_epi16(slots_a, _mm256_unpacklo_epi8(start_low, start_high));
        const __m256i bias_b = _mm256_sub_epi16(slots_b, _mm256_unpackhi_epi8(start_low, start_high));
        const auto step = [&](__m256i state, __m256i frequency, __m256i bias) {
            return _mm256_add_epi32(_mm256_mullo_epi32(frequency, _mm256_srli_epi32(state, kProbBits)), bias);
        };
        x[0] = step(x[0], _mm256_unpacklo_epi16(frequency_a, zero), _mm256_unpacklo_epi16(bias_a, zero));
        x[1] = step(x[1], _mm256_unpackhi_epi16(frequency_a, zero), _mm256_unpackhi_epi16(bias_a, zero));
        x[2] = step(x[2], _mm256_unpacklo_epi16(frequency_b, zero), _mm256_unpacklo_epi16(bias_b, zero));
        x[3] = step(x[3], _mm256_unpackhi_epi16(frequency_b, zero), _mm256_unpackhi_epi16(bias_b, zero));
        return _mm256_shuffle_epi8(load_twice(table.symbol), number);
    }
};

inline __m256i rotate_right(__m256i u) noexcept {
    return _mm256_or_si256(_mm256_srli_epi16(u, 1), _mm256_slli_epi16(u, 15));
}

template <bool kJoins>
inline void store(const RansStream& stream, std::size_t i, __m256i symbols) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(stream.symbols + i), symbols);
    if constexpr (kJoins) {
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(stream.low_plane + i));
        // Elements 0 to 7 and 16 to 23, then the others: halves go where they belong as they are stored.
        const __m256i even = rotate_right(_mm256_unpacklo_epi8(low, symbols));
        const __m256i odd = rotate_right(_mm256_unpackhi_epi8(low, symbols));
        auto* raw = reinterpret_cast<__m128i*>(stream.raw + 2 * i);
        _mm_storeu_si128(raw, _mm256_castsi256_si128(even));
        _mm_storeu_si128(raw + 1, _mm256_castsi256_si128(odd));
        _mm_storeu_si128(raw + 2, _mm256_extracti128_si256(even, 1));
        _mm_storeu_si128(raw + 3, _mm256_extracti128_si256(odd, 1));
    }
}

template <typename Lookup, std::size_t kStreams, bool kJoins>
bool decode_streams(const DecodeTable& table, const RansStream* streams, std::size_t n_symbols) noexcept {
    const Lookup lookup(table);
    const __m256i natural_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    Lanes lanes[kStreams];
    for (std::size_t s = 0; s < kStreams; ++s) {
        lanes[s].words = streams[s].cursor->words;
        for (std::size_t v = 0; v < kVectors; ++v) {
            lanes[s].x[v] = _mm256_load_si256(reinterpret_cast<const __m256i*>(streams[s].cursor->states + 8 * v));
        }
    }
    std::size_t i = 0;
    while (i + kLanes <= n_symbols) {
        std::size_t n_steps = (n_symbols - i) / kLanes;
        for (std::size_t s = 0; s < kStreams; ++s) {
            if (!prepare_steps(*streams[s].cursor, lanes[s].words, n_steps)) return false;
        }
        for (; n_steps != 0; --n_steps, i += kLanes) {
            __m256i symbols[kStreams];
#pragma GCC unroll 2
            for (std::size_t s = 0; s < kStreams; ++s) {
                symbols[s] = lookup(lanes[s], Lookup::kUsesContexts ? streams[s].contexts + i : nullptr);
            }
#pragma GCC unroll 2
            for (std::size_t s = 0; s < kStreams; ++s) renormalize(lanes[s]);
#pragma GCC unroll 2
            for (std::size_t s = 0; s < kStreams; ++s) {
                store<kJoins>(streams[s], i, _mm256_permutevar8x32_epi32(symbols[s], natural_order));
            }
        }
    }
    for (std::size_t s = 0; s < kStreams; ++s) {
        RansCursor& cursor = *streams[s].cursor;
        if (lanes[s].words > cursor.words_end) return false;
        cursor.words = lanes[s].words;
        for (std::size_t v = 0; v < kVectors; ++v) {
            _mm256_store_si256(reinterpret_cast<__m256i*>(cursor.states + 8 * v), lanes[s].x[v]);
        }
        const RansStream rest = skip_symbols(streams[s], i);
        if (!rans_decode_scalar(table, &rest, 1, n_symbols - i)) return false;  // at most 31 left
    }
    return true;
}

template <typename Lookup, bool kJoins>
bool decode_pairs(const DecodeTable& table, const RansStream* streams, std::size_t n_streams,
                  std::size_t n_symbols) noexcept {
    for (; n_streams >= 2; streams += 2, n_streams -= 2) {
        if (!decode_streams<Lookup, 2, kJoins>(table, streams, n_symbols)) return false;
    }
    return n_streams == 0 || decode_streams<Lookup, 1, kJoins>(table, streams, n_symbols);
}

template <typename Lookup>
bool decode_with(const DecodeTable& table, const RansStream* streams, std::size_t n_streams,
                 std::size_t n_symbols) noexcept {
    return streams[0].low_plane != nullptr ? decode_pairs<Lookup, true>(table, streams, n_streams, n_symbols)
                                           : decode_pairs<Lookup, false>(table, streams, n_streams, n_symbols);
}

}  // namespace

bool rans_decode_avx2(const DecodeTable& table, const RansStream* streams, std::size_t n_streams,
                      std::size_t n_symbols) noexcept {
    if (streams[0].contexts != nullptr) return decode_with<WideLookup<true>>(table, streams, n_streams, n_symbols);
    if (table.narrow == nullptr) return decode_with<WideLookup<false>>(table, streams, n_streams, n_symbols);
    // Unused thresholds are harmless, so a few numbers of rounds do for all.
    const unsigned n_rounds = table.narrow->n_rounds;
    if (n_rounds <= 4) return decode_with<NarrowLookup<4>>(table, streams, n_streams, n_symbols);
    if (n_rounds == 5) return decode_with<NarrowLookup<5>>(table, streams, n_streams, n_symbols);
    if (n_rounds == 6) return decode_with<NarrowLookup<6>>(table, streams, n_streams, n_symbols);
    if (n_rounds == 7) return decode_with<NarrowLookup<7>>(table, streams, n_streams, n_symbols);
    if (n_rounds == 8) return decode_with<NarrowLookup<8>>(table, streams, n_streams, n_symbols);
    if (n_rounds <= 10) return decode_with<NarrowLookup<10>>(table, streams, n_streams, n_symbols);
    return decode_with<NarrowLookup<15>>(table, streams, n_streams, n_symbols);
}

}  // namespace weightzip
