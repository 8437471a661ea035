#include "kernels/rans_encode.hpp"

namespace weightzip {

std::uint16_t* rans_encode_scalar(const EncodeTable& table, const std::uint8_t* symbols, const std::uint8_t* contexts,
                                  std::size_t n_symbols, const std::uint8_t*, std::uint16_t* words_end,
                                  std::uint32_t* states) noexcept {
    const unsigned prob_bits = table.prob_bits;
    for (std::size_t lane = 0; lane < kLanes; ++lane) states[lane] = kStateFloor;
    std::uint16_t* word = words_end;
    for (std::size_t i = n_symbols; i-- > 0;) {
        const std::size_t context = contexts != nullptr ? contexts[i] : 0u;
        const EncodeEntry entry = table.entries[256 * context + symbols[i]];
        std::uint32_t x = states[i % kLanes];
        if (x >> (32 - prob_bits) >= entry.frequency()) {
            *--word = static_cast<std::uint16_t>(x);
            x >>= 16;
        }
        const std::uint64_t product = std::uint64_t{x + entry.increment()} * entry.reciprocal;
        const auto quotient = static_cast<std::uint32_t>(product >> 32 >> entry.shift());
        // quotient * 2^P + remainder + start, with the remainder written as x - quotient * frequency.
        states[i % kLanes] = x + entry.start() + quotient * ((1u << prob_bits) - entry.frequency());
    }
    return word;
}

}  // namespace weightzip
