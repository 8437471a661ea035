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

bool is_constant(const std::uint8_t* symbols, std::size_t n_symbols) noexcept {
    return std::memcmp(symbols, symbols + 1, n_symbols - 1) == 0;
}

}  // namespace weightzip
