#include "kernels/rans_decode.hpp"

namespace weightzip {

bool rans_decode_scalar(RansCursor& cursor, const std::uint32_t* entries, unsigned prob_bits,
                        const std::uint8_t* contexts, std::uint8_t* symbols, std::size_t n_symbols) noexcept {
    const std::uint32_t mask = (1u << prob_bits) - 1;
    const std::uint8_t* word = cursor.words;
    for (std::size_t i = 0; i < n_symbols; ++i) {
        std::uint32_t x = cursor.states[i % kLanes];
        const std::uint32_t table = contexts != nullptr ? contexts[i] : 0u;
        const std::uint32_t entry = entries[(std::size_t{table} << prob_bits) + (x & mask)];
        symbols[i] = static_cast<std::uint8_t>(entry);
        x = ((entry >> 20) + 1) * (x >> prob_bits) + (entry >> 8 & 0xfff);
        if (x < kStateFloor) {
            if (word == cursor.words_end) return false;
            x = x << 16 | static_cast<std::uint32_t>(word[0]) | static_cast<std::uint32_t>(word[1]) << 8;
            word += 2;
        }
        cursor.states[i % kLanes] = x;
    }
    cursor.words = word;
    return true;
}

}  // namespace weightzip
