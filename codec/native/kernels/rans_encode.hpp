// rANS encoding of one plane of one block.
#pragma once

#include "kernels/rans.hpp"

namespace weightzip {

// Words a kernel may write before the first word it returns.
inline constexpr std::size_t kEncodeSlackWords = 8;

// Encodes n_symbols symbols, the last one first, and fills states with the 32 final states.
//   symbols:   n_symbols readable bytes
//   contexts:  n_symbols readable bytes, or nullptr when there is one table
//   entries:   256 entries a context; every symbol that occurs has a frequency above 0
//   words_end: end of a buffer of at least n_symbols + kEncodeSlackWords writable words
// Returns the first word; the words stand from there to words_end. Cannot fail.
using RansEncodeKernel = std::uint16_t* (*)(const std::uint8_t* symbols, const std::uint8_t* contexts,
                                            std::size_t n_symbols, const EncodeEntry* entries, unsigned prob_bits,
                                            std::uint16_t* words_end, std::uint32_t* states) noexcept;

std::uint16_t* rans_encode_scalar(const std::uint8_t* symbols, const std::uint8_t* contexts, std::size_t n_symbols,
                                  const EncodeEntry* entries, unsigned prob_bits, std::uint16_t* words_end,
                                  std::uint32_t* states) noexcept;

}  // namespace weightzip
