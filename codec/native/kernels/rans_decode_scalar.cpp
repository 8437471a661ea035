#include "kernels/rans_decode.hpp"

namespace weightzip {
namespace {

void join_stream(const RansStream& stream, std::size_t n_symbols) noexcept {
    for (std::size_t i = 0; i < n_symbols; ++i) {
        const std::uint32_t high = stream.symbols[i];
        const std::uint32_t low = stream.low_plane[i];
        const std::uint32_t rotated = (high << 8 | low) >> 1 | low << 15;
        stream.raw[2 * i] = static_cast<std::uint8_t>(rotated);
        stream.raw[2 * i + 1] = static_cast<std::uint8_t>(rotated >> 8);
    }
}

bool decode_stream(const DecodeTable& table, const RansStream& stream, std::size_t n_symbols) noexcept {
    RansCursor& cursor = *stream.cursor;
    const unsigned prob_bits = table.prob_bits;
    const std::uint32_t mask = (1u << prob_bits) - 1;
    const std::uint8_t* word = cursor.words;
    for (std::size_t i = 0; i < n_symbols; ++i) {
        std::uint32_t x = cursor.states[i % kLanes];
        const std::size_t context = stream.contexts != nullptr ? stream.contexts[i] : 0u;
        const std::uint32_t entry = table.entries[(context << prob_bits) + (x & mask)];
        stream.symbols[i] = static_cast<std::uint8_t>(entry);
        x = ((entry >> 20) + 1) * (x >> prob_bits) + (entry >> 8 & 0xfff);
        if (x < kStateFloor) {
            if (word == cursor.words_end) return false;
            x = x << 16 | static_cast<std::uint32_t>(word[0]) | static_cast<std::uint32_t>(word[1]) << 8;
            word += 2;
        }
        cursor.states[i % kLanes] = x;
    }
    cursor.words = word;
    if (stream.low_plane != nullptr) join_stream(stream, n_symbols);
    return true;
}

}  // namespace

bool rans_decode_scalar(const DecodeTable& table, const RansStream* streams, std::size_t n_streams,
                        std::size_t n_symbols) noexcept {
    for (std::size_t s = 0; s < n_streams; ++s) {
        if (!decode_stream(table, streams[s], n_symbols)) return false;
    }
    return true;
}

}  // namespace weightzip
