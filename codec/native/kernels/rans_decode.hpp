// rANS decoding of one plane of one block, in stretches.
#pragma once

#include "kernels/rans.hpp"

namespace weightzip {

// Where the decoding of a plane stands. Words are 2-byte little-endian values at any alignment.
struct RansCursor {
    alignas(32) std::uint32_t states[kLanes];
    const std::uint8_t* words;      // the next word
    const std::uint8_t* words_end;  // (words_end - words) is even and not negative
};

// Decodes the next n_symbols symbols into symbols and moves the cursor. Every call but the last of a block has
// n_symbols divisible by 32.
//   contexts: n_symbols readable bytes, each below the number of tables, or nullptr when there is one table
//   entries:  1 << prob_bits entries a context
// Returns false, with undefined symbols and cursor, if the words run out; never reads beyond words_end.
using RansDecodeKernel = bool (*)(RansCursor& cursor, const std::uint32_t* entries, unsigned prob_bits,
                                  const std::uint8_t* contexts, std::uint8_t* symbols,
                                  std::size_t n_symbols) noexcept;

bool rans_decode_scalar(RansCursor& cursor, const std::uint32_t* entries, unsigned prob_bits,
                        const std::uint8_t* contexts, std::uint8_t* symbols, std::size_t n_symbols) noexcept;

}  // namespace weightzip
