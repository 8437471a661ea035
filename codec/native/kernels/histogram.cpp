#include "kernels/histogram.hpp"

#include <cstring>

namespace weightzip {

namespace {

// Counters in several sets: runs of one symbol would otherwise wait for their own last store.
constexpr std::size_t kSets = 4;
// Beyond what a set needs, so that no two counters of a symbol lie whole pages apart: their stores and
// loads would be taken for one another's.
constexpr std::size_t kPadding = 96;

}  // namespace

void count_symbols(const std::uint8_t* symbols, std::size_t n_symbols, std::uint32_t* counts) noexcept {
    std::uint32_t sets[kSets][256 + kPadding] = {};
    std::size_t i = 0;
    for (; i + 8 <= n_symbols; i += 8) {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < 8; ++k) ++sets[k % kSets][symbols[i + k]];
    }
    for (; i < n_symbols; ++i) ++sets[0][symbols[i]];
    for (std::size_t s = 0; s < 256; ++s) counts[s] += sets[0][s] + sets[1][s] + sets[2][s] + sets[3][s];
}

void count_symbols_by_key(const std::uint8_t* symbols, const std::uint8_t* keys, std::size_t n_symbols,
                          std::uint32_t* counts) noexcept {
    for (std::size_t i = 0; i < n_symbols; ++i) ++counts[256 * std::size_t{keys[i]} + symbols[i]];
}

void count_symbols_by_context(const std::uint8_t* symbols, const std::uint8_t* contexts, std::size_t n_symbols,
                              std::size_t n_contexts, std::uint32_t* counts) noexcept {
    // Each set counts a part of the symbols.
    std::uint16_t sets[kSets][32 * 256 + kPadding];
    for (auto& set : sets) std::memset(set, 0, 512 * n_contexts);
    std::size_t i = 0;
    for (; i + 8 <= n_symbols; i += 8) {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < 8; ++k) ++sets[k % kSets][std::size_t{contexts[i + k]} << 8 | symbols[i + k]];
    }
    for (; i < n_symbols; ++i) ++sets[0][std::size_t{contexts[i]} << 8 | symbols[i]];
    for (std::size_t s = 0; s < 256 * n_contexts; ++s) {
        counts[s] += std::uint32_t{sets[0][s]} + sets[1][s] + sets[2][s] + sets[3][s];
    }
}

bool is_constant(const std::uint8_t* symbols, std::size_t n_symbols) noexcept {
    return std::memcmp(symbols, symbols + 1, n_symbols - 1) == 0;
}

}  // namespace weightzip
