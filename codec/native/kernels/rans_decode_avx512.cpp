// Built for AVX-512 (F, BW, VL, VBMI, VBMI2), BMI2 and POPCNT. A step decodes 32 elements of each stream, its lanes in
// two vectors of 16. Tables of few symbols are searched in registers, so a step is nothing but a long chain of
// dependent instructions: four streams fill the gaps.
#include "kernels/rans_decode.hpp"

#include <immintrin.h>

#include <cstring>

#include "kernels/rans_decode_steps.inl"

namespace weightzip {
namespace {

constexpr std::size_t kVectorLanes = 16;

// The moving parts of a stream, in registers.
struct Lanes {
    __m512i low;   // lanes 0 to 15
    __m512i high;  // lanes 16 to 31
    const std::uint8_t* words;
};

inline __m512i load(const void* from) noexcept { return _mm512_loadu_si512(from); }

// For each 16-bit half of 16 lanes: which word makes lane << 16 | next word out of the lane (0 to 31) and the words
// of lanes first to first + 15 (32 to 63).
struct WordOrder {
    alignas(64) std::uint16_t order[kLanes];

    explicit constexpr WordOrder(std::uint16_t first) : order{} {
        for (std::uint16_t lane = 0; lane < kVectorLanes; ++lane) {
            order[2 * lane] = static_cast<std::uint16_t>(32 + first + lane);
            order[2 * lane + 1] = static_cast<std::uint16_t>(2 * lane);
        }
    }
};

constexpr WordOrder kLowWords{0};
constexpr WordOrder kHighWords{kVectorLanes};

// Gives each lane below the floor its next word.
inline void renormalize(Lanes& lanes) noexcept {
    const __m512i floor = _mm512_set1_epi32(kStateFloor);
    const __mmask16 low_takes = _mm512_cmplt_epu32_mask(lanes.low, floor);
    const __mmask16 high_takes = _mm512_cmplt_epu32_mask(lanes.high, floor);
    const __mmask32 takes = _mm512_kunpackw(high_takes, low_takes);
    // Expanding from memory would make the load wait for the mask: the compiler must not merge the two.
    __m512i next = load(lanes.words);
    asm("" : "+v"(next));
    const __m512i words = _mm512_maskz_expand_epi16(takes, next);
    const __m512i low = _mm512_permutex2var_epi16(lanes.low, load(kLowWords.order), words);
    const __m512i high = _mm512_permutex2var_epi16(lanes.high, load(kHighWords.order), words);
    lanes.low = _mm512_mask_mov_epi32(lanes.low, low_takes, low);
    lanes.high = _mm512_mask_mov_epi32(lanes.high, high_takes, high);
    lanes.words += 2 * _mm_popcnt_u32(_cvtmask32_u32(takes));
}

// Looks the symbols up in a table in memory.
template <bool kContexts>
struct WideLookup {
    static constexpr bool kUsesContexts = kContexts;
    const std::uint32_t* entries;
    __m128i prob_bits;
    __m512i slot_mask;

    explicit WideLookup(const DecodeTable& table) noexcept
        : entries(table.entries),
          prob_bits(_mm_cvtsi32_si128(static_cast<int>(table.prob_bits))),
          slot_mask(_mm512_set1_epi32((1 << table.prob_bits) - 1)) {}

    // Four of four plain loads each.
    __m512i look_up(__m512i index) const noexcept {
        const __m128i a = look_up_four(entries, _mm512_castsi512_si128(index));
        const __m128i b = look_up_four(entries, _mm512_extracti32x4_epi32(index, 1));
        const __m128i c = look_up_four(entries, _mm512_extracti32x4_epi32(index, 2));
        const __m128i d = look_up_four(entries, _mm512_extracti32x4_epi32(index, 3));
        return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_set_m128i(b, a)), _mm256_set_m128i(d, c), 1);
    }

    __m512i find_slots(__m512i x, const std::uint8_t* contexts, std::size_t first) const noexcept {
        const __m512i slots = _mm512_and_si512(x, slot_mask);
        if constexpr (!kContexts) return slots;
        const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(contexts + first));
        return _mm512_or_si512(slots, _mm512_sll_epi32(_mm512_cvtepu8_epi32(sixteen), prob_bits));
    }

    __m512i step(__m512i x, __m512i entry) const noexcept {
        const __m512i frequency = _mm512_add_epi32(_mm512_srli_epi32(entry, 20), _mm512_set1_epi32(1));
        const __m512i bias = _mm512_and_si512(_mm512_srli_epi32(entry, 8), _mm512_set1_epi32(0xfff));
        return _mm512_add_epi32(_mm512_mullo_epi32(frequency, _mm512_srl_epi32(x, prob_bits)), bias);
    }

    // Steps all lanes and returns the symbols of lanes 0 to 31.
    __m256i operator()(Lanes& lanes, const std::uint8_t* contexts) const noexcept {
        const __m512i low = look_up(find_slots(lanes.low, contexts, 0));
        const __m512i high = look_up(find_slots(lanes.high, contexts, kVectorLanes));
        lanes.low = step(lanes.low, low);
        lanes.high = step(lanes.high, high);
        return _mm256_set_m128i(_mm512_cvtepi32_epi8(high), _mm512_cvtepi32_epi8(low));
    }
};

// Finds the symbols by a binary search: 16-bit slots of all 32 lanes in one vector, the table in registers. The lanes of
// the packed vector are in the order in which the unpacking undoes the packing.
struct NarrowLookup {
    static constexpr bool kUsesContexts = false;
    static constexpr int kProbBits = kMaxProbBits;
    __m512i frequency;
    __m512i symbol;
    __m512i start;
    __m512i next_start;       // of symbol i + 1
    __m512i next_next_start;  // of symbol i + 2
    __m512i start_4;
    __m512i start_8;
    __m512i start_12;

    explicit NarrowLookup(const DecodeTable& table) noexcept {
        const NarrowTable& narrow = *table.narrow;
        const auto make = [](auto&& word) {
            alignas(64) std::uint16_t words[kLanes];
            for (std::size_t i = 0; i < kLanes; ++i) words[i] = static_cast<std::uint16_t>(word(i));
            return load(words);
        };
        const auto find_frequency = [&](std::size_t i) {
            return i < kMaxNarrowSymbols ? narrow.frequency_low[i] | narrow.frequency_high[i] << 8 : 0;
        };
        constexpr int above_every_slot = 0x7fff;
        const auto find_start = [&](std::size_t i) {
            return find_frequency(i) != 0 ? narrow.start_low[i] | narrow.start_high[i] << 8 : above_every_slot;
        };
        frequency = make(find_frequency);
        symbol = make([&](std::size_t i) { return i < kMaxNarrowSymbols ? narrow.symbol[i] : 0; });
        start = make(find_start);
        next_start = make([&](std::size_t i) { return find_start(i + 1); });
        next_next_start = make([&](std::size_t i) { return find_start(i + 2); });
        start_4 = _mm512_set1_epi16(static_cast<short>(find_start(4)));
        start_8 = _mm512_set1_epi16(static_cast<short>(find_start(8)));
        start_12 = _mm512_set1_epi16(static_cast<short>(find_start(12)));
    }

    // The symbol number of each of 32 slots.
    __m512i find(__m512i slots) const noexcept {
        const __mmask32 from_8 = _mm512_cmpge_epi16_mask(slots, start_8);
        const __m512i pivot = _mm512_mask_mov_epi16(start_4, from_8, start_12);
        __m512i number = _mm512_maskz_mov_epi16(from_8, _mm512_set1_epi16(8));
        const __mmask32 from_4 = _mm512_cmpge_epi16_mask(slots, pivot);
        number = _mm512_mask_add_epi16(number, from_4, number, _mm512_set1_epi16(4));
        const __mmask32 from_2 = _mm512_cmpge_epi16_mask(slots, _mm512_permutexvar_epi16(number, next_next_start));
        number = _mm512_mask_add_epi16(number, from_2, number, _mm512_set1_epi16(2));
        const __mmask32 from_1 = _mm512_cmpge_epi16_mask(slots, _mm512_permutexvar_epi16(number, next_start));
        return _mm512_mask_add_epi16(number, from_1, number, _mm512_set1_epi16(1));
    }

    // Steps all lanes and returns the symbols of lanes 0 to 31.
    __m512i operator()(Lanes& lanes, const std::uint8_t*) const noexcept {
        const __m512i zero = _mm512_setzero_si512();
        const __m512i slot_mask = _mm512_set1_epi32((1 << kProbBits) - 1);
        const __m512i slots =
            _mm512_packus_epi32(_mm512_and_si512(lanes.low, slot_mask), _mm512_and_si512(lanes.high, slot_mask));
        const __m512i number = find(slots);
        const __m512i frequencies = _mm512_permutexvar_epi16(number, frequency);
        const __m512i bias = _mm512_sub_epi16(slots, _mm512_permutexvar_epi16(number, start));
        const auto step = [](__m512i x, __m512i f, __m512i b) {
            return _mm512_add_epi32(_mm512_mullo_epi32(f, _mm512_srli_epi32(x, kProbBits)), b);
        };
        lanes.low = step(lanes.low, _mm512_unpacklo_epi16(frequencies, zero), _mm512_unpacklo_epi16(bias, zero));
        lanes.high = step(lanes.high, _mm512_unpackhi_epi16(frequencies, zero), _mm512_unpackhi_epi16(bias, zero));
        const __m512i natural = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        return _mm512_permutexvar_epi64(natural, _mm512_permutexvar_epi16(number, symbol));
    }
};

// Stores 32 symbols, given as bytes and as words.
template <bool kJoins>
inline void store(const RansStream& stream, std::size_t i, __m256i bytes, __m512i words) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(stream.symbols + i), bytes);
    if constexpr (kJoins) {
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(stream.low_plane + i));
        const __m512i u = _mm512_or_si512(_mm512_slli_epi16(words, 8), _mm512_cvtepu8_epi16(low));
        _mm512_storeu_si512(stream.raw + 2 * i, _mm512_shrdi_epi16(u, u, 1));
    }
}

template <bool kJoins>
inline void store(const RansStream& stream, std::size_t i, __m256i bytes) noexcept {
    store<kJoins>(stream, i, bytes, _mm512_cvtepu8_epi16(bytes));
}

template <bool kJoins>
inline void store(const RansStream& stream, std::size_t i, __m512i words) noexcept {
    store<kJoins>(stream, i, _mm512_cvtepi16_epi8(words), words);
}

template <typename Lookup, std::size_t kStreams, bool kJoins>
bool decode_streams(const DecodeTable& table, const RansStream* streams, std::size_t n_symbols) noexcept {
    const Lookup lookup(table);
    Lanes lanes[kStreams];
    for (std::size_t s = 0; s < kStreams; ++s) {
        const RansCursor& cursor = *streams[s].cursor;
        lanes[s] = {load(cursor.states), load(cursor.states + kVectorLanes), cursor.words};
    }
    std::size_t i = 0;
    while (i + kLanes <= n_symbols) {
        std::size_t n_steps = (n_symbols - i) / kLanes;
        for (std::size_t s = 0; s < kStreams; ++s) {
            if (!prepare_steps(*streams[s].cursor, lanes[s].words, n_steps)) return false;
        }
        for (; n_steps != 0; --n_steps, i += kLanes) {
#pragma GCC unroll 4
            for (std::size_t s = 0; s < kStreams; ++s) {
                const std::uint8_t* contexts = Lookup::kUsesContexts ? streams[s].contexts + i : nullptr;
                store<kJoins>(streams[s], i, lookup(lanes[s], contexts));
            }
#pragma GCC unroll 4
            for (std::size_t s = 0; s < kStreams; ++s) renormalize(lanes[s]);
        }
    }
    for (std::size_t s = 0; s < kStreams; ++s) {
        RansCursor& cursor = *streams[s].cursor;
        if (lanes[s].words > cursor.words_end) return false;
        cursor.words = lanes[s].words;
        _mm512_storeu_si512(cursor.states, lanes[s].low);
        _mm512_storeu_si512(cursor.states + kVectorLanes, lanes[s].high);
        const RansStream rest = skip_symbols(streams[s], i);
        if (!rans_decode_scalar(table, &rest, 1, n_symbols - i)) return false;  // at most 31 left
    }
    return true;
}

template <typename Lookup, bool kJoins>
bool decode_with(const DecodeTable& table, const RansStream* streams, std::size_t n_streams,
                 std::size_t n_symbols) noexcept {
    static_assert(kMaxStreams == 4);
    switch (n_streams) {
        case 1: return decode_streams<Lookup, 1, kJoins>(table, streams, n_symbols);
        case 2: return decode_streams<Lookup, 2, kJoins>(table, streams, n_symbols);
        case 3: return decode_streams<Lookup, 3, kJoins>(table, streams, n_symbols);
        default: return decode_streams<Lookup, 4, kJoins>(table, streams, n_symbols);
    }
}

template <typename Lookup>
bool decode_any(const DecodeTable& table, const RansStream* streams, std::size_t n_streams,
                std::size_t n_symbols) noexcept {
    return streams[0].low_plane != nullptr ? decode_with<Lookup, true>(table, streams, n_streams, n_symbols)
                                           : decode_with<Lookup, false>(table, streams, n_streams, n_symbols);
}

}  // namespace

bool rans_decode_avx512(const DecodeTable& table, const RansStream* streams, std::size_t n_streams,
                        std::size_t n_symbols) noexcept {
    if (streams[0].contexts != nullptr) return decode_any<WideLookup<true>>(table, streams, n_streams, n_symbols);
    if (table.narrow == nullptr) return decode_any<WideLookup<false>>(table, streams, n_streams, n_symbols);
    return decode_any<NarrowLookup>(table, streams, n_streams, n_symbols);
}

}  // namespace weightzip
