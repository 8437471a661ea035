// rANS decoding of planes, in stretches.
#pragma once

#include "kernels/rans.hpp"

namespace weightzip {

// A step of 32 elements uses up at most so many bytes of words, and kernels that load ahead read a little further.
inline constexpr std::ptrdiff_t kStepWordBytes = 2 * kLanes;
inline constexpr std::ptrdiff_t kStepReadBytes = kStepWordBytes + 16;

// Where the decoding of one plane of one block stands. Words are 2-byte little-endian values at any alignment.
struct RansCursor {
    alignas(32) std::uint32_t states[kLanes];
    const std::uint8_t* words;      // the next word
    const std::uint8_t* words_end;  // (words_end - words) is even and not negative
    // The last words, moved here with room behind them, so that loading ahead stays in bounds. words points into
    // it from then on: a cursor must not be copied between calls.
    std::uint8_t tail[2 * kStepReadBytes];
    bool in_tail;
};

inline constexpr std::size_t kMaxNarrowSymbols = 16;

// A table of kMaxProbBits with at most 16 symbols of frequency above 0 (the escape is one), for decoding without a
// table in memory.
// Slots fall into 16 equal buckets. thresholds[..][b] are the offsets in bucket b, above 0, at which a symbol begins,
// then zeros; base[b] is the number of the symbol that holds the bucket's first slot plus the count of those offsets.
// With any R of at least n_rounds, the symbol number of a slot is base[b] - R + (how many of the first R thresholds
// are not above the slot's offset).
struct NarrowTable {
    alignas(16) std::uint8_t frequency_low[kMaxNarrowSymbols];
    std::uint8_t frequency_high[kMaxNarrowSymbols];
    std::uint8_t start_low[kMaxNarrowSymbols];
    std::uint8_t start_high[kMaxNarrowSymbols];
    std::uint8_t symbol[kMaxNarrowSymbols];
    std::uint8_t base[kMaxNarrowSymbols];
    std::uint8_t thresholds[kMaxNarrowSymbols - 1][16];
    unsigned n_rounds;
};

struct DecodeTable {
    const std::uint32_t* entries;  // 1 << prob_bits entries a context; see make_decode_entry
    const NarrowTable* narrow;     // of the only table, or nullptr
    unsigned prob_bits;
};

// One plane of one block.
struct RansStream {
    RansCursor* cursor;
    const std::uint8_t* contexts;  // n_symbols bytes, each below the number of tables; nullptr if there is one table
    std::uint8_t* symbols;         // n_symbols writable bytes
    // Of a 16-bit element with the rotate transform whose other plane is known: n_symbols bytes of that plane, and
    // where the elements go, 2 * n_symbols writable bytes. Joining while decoding hides the latency of memory. Else
    // nullptr.
    const std::uint8_t* low_plane;
    std::uint8_t* raw;
};

inline constexpr std::size_t kMaxStreams = 4;

// Decodes the next n_symbols symbols of each of n_streams (1 to kMaxStreams) independent streams, which all have
// contexts or all have none, and all join or none does, and moves their cursors. Several at a time hide each other's
// latency. Every call but the last of a block has n_symbols divisible by 32.
// Returns false, with undefined symbols and cursors, if the words of a stream run out; never reads beyond words_end.
using RansDecodeKernel = bool (*)(const DecodeTable& table, const RansStream* streams, std::size_t n_streams,
                                  std::size_t n_symbols) noexcept;

bool rans_decode_scalar(const DecodeTable& table, const RansStream* streams, std::size_t n_streams,
                        std::size_t n_symbols) noexcept;
bool rans_decode_avx2(const DecodeTable& table, const RansStream* streams, std::size_t n_streams,
                      std::size_t n_symbols) noexcept;
bool rans_decode_avx512(const DecodeTable& table, const RansStream* streams, std::size_t n_streams,
                        std::size_t n_symbols) noexcept;

}  // namespace weightzip
