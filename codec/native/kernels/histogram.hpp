// Counting symbols.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weightzip {

// Adds the number of occurrences of each byte to counts[0..255].
void count_symbols(const std::uint8_t* symbols, std::size_t n_symbols, std::uint32_t* counts) noexcept;

// Adds the occurrences of each byte under key keys[i] to counts[256 * key ...]: 256 * 256 counters.
void count_symbols_by_key(const std::uint8_t* symbols, const std::uint8_t* keys, std::size_t n_symbols,
                          std::uint32_t* counts) noexcept;

// Adds the occurrences of each byte under context contexts[i] to counts[256 * context ...]. There are at most 32
// contexts and 65536 symbols: few enough for counters that stay in the nearest cache.
void count_symbols_by_context(const std::uint8_t* symbols, const std::uint8_t* contexts, std::size_t n_symbols,
                              std::size_t n_contexts, std::uint32_t* counts) noexcept;

// Whether all n_symbols (1 or more) bytes are equal.
bool is_constant(const std::uint8_t* symbols, std::size_t n_symbols) noexcept;

}  // namespace weightzip
