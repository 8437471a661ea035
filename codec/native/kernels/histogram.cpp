#include "kernels/histogram.hpp"

#include <cstring>

namespace weightzip {

void count_symbols(const std::uint8_t* symbols, std::size_t n_symbols, std::uint32_t* counts) noexcept {
    // Four sets of counters: runs of one symbol would otherwise wait for their own last store.
    std::uint32_t sets[4][256] = {};
    std::size_t i = 0;
    for (; i + 8 <= n_symbols; i += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, symbols + i, 8);
        for (unsigned k = 0; k < 8; ++k) ++sets[k % 4][eight >> (8 * k) & 255];
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
    // Two sets, so that a run of one symbol waits less for its own last store. Each counts half of the symbols.
    std::uint16_t sets[2][32 * 256];
    for (auto& set : sets) std::memset(set, 0, 512 * n_contexts);
    std::size_t i = 0;
    for (; i + 8 <= n_symbols; i += 8) {
        std::uint64_t eight;
        std::uint64_t eight_contexts;
        std::memcpy(&eight, symbols + i, 8);
        std::memcpy(&eight_contexts, contexts + i, 8);
        for (unsigned k = 0; k < 8; ++k) {
            ++sets[k % 2][(eight_contexts >> (8 * k) & 255) << 8 | (eight >> (8 * k) & 255)];
        }
    }
    for (; i < n_symbols; ++i) ++sets[i % 2][std::size_t{contexts[i]} << 8 | symbols[i]];
    for (std::size_t s = 0; s < 256 * n_contexts; ++s) counts[s] += std::uint32_t{sets[0][s]} + sets[1][s];
}

bool is_constant(const std::uint8_t* symbols, std::size_t n_symbols) noexcept {
    return std::memcmp(symbols, symbols + 1, n_symbols - 1) == 0;
}

}  // namespace weightzip
