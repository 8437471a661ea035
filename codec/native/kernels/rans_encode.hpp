// rANS encoding of one plane of one block.
#pragma once

#include "kernels/rans.hpp"

namespace weightzip {

// Words a kernel may write before the first word it returns.
inline constexpr std::size_t kEncodeSlackWords = 32;

// The entries of a table whose symbols are at most 16 neighbours (the escape may be the last of them), byte by byte:
// byte k of a field of entry number min((symbol - first) modulo 256, last) is in [k][number].
struct NarrowEncodeTable {
    alignas(16) std::uint8_t reciprocal[4][16];
    std::uint8_t packed[4][16];
    std::uint8_t first;
    std::uint8_t last;
    bool increments;  // whether an entry has one: only the symbol with more than half of all can
};

struct EncodeTable {
    const EncodeEntry* entries;       // 256 a context
    const NarrowEncodeTable* narrow;  // of the only table, or nullptr
    unsigned prob_bits;
};

// Encodes n_symbols symbols, the last one first, and fills states with the 32 final states.
//   symbols:   n_symbols readable bytes, each with a frequency above 0 in the table of its context
//   contexts:  n_symbols readable bytes, or nullptr when there is one table
//   ahead:     2 * n_symbols bytes that will soon be read and are fetched into the cache meanwhile, or nullptr
//   words_end: end of a buffer of at least n_symbols + kEncodeSlackWords writable words
// Returns the first word; the words stand from there to words_end. Cannot fail.
using RansEncodeKernel = std::uint16_t* (*)(const EncodeTable& table, const std::uint8_t* symbols,
                                            const std::uint8_t* contexts, std::size_t n_symbols,
                                            const std::uint8_t* ahead, std::uint16_t* words_end,
                                            std::uint32_t* states) noexcept;

std::uint16_t* rans_encode_scalar(const EncodeTable& table, const std::uint8_t* symbols, const std::uint8_t* contexts,
                                  std::size_t n_symbols, const std::uint8_t* ahead, std::uint16_t* words_end,
                                  std::uint32_t* states) noexcept;
std::uint16_t* rans_encode_avx2(const EncodeTable& table, const std::uint8_t* symbols, const std::uint8_t* contexts,
                                std::size_t n_symbols, const std::uint8_t* ahead, std::uint16_t* words_end,
                                std::uint32_t* states) noexcept;
std::uint16_t* rans_encode_avx512(const EncodeTable& table, const std::uint8_t* symbols, const std::uint8_t* contexts,
                                  std::size_t n_symbols, const std::uint8_t* ahead, std::uint16_t* words_end,
                                  std::uint32_t* states) noexcept;

}  // namespace weightzip
