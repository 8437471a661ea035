// Whole steps and the rest, for the vector kernels of rANS encoding: include it behind their Ahead, WideLookup,
// NarrowLookup and encode_steps. In the unnamed namespace, for the reason that rans_decode_steps.inl gives.

namespace weightzip {
namespace {

// Contract: rans_encode.hpp.
std::uint16_t* encode_symbols(const EncodeTable& table, const std::uint8_t* symbols, const std::uint8_t* contexts,
                              std::size_t n_symbols, const std::uint8_t* ahead, std::uint16_t* words_end,
                              std::uint32_t* states) noexcept {
    const std::size_t n_steps = n_symbols / kLanes;
    const std::size_t done = kLanes * n_steps;
    // The encoder walks backward: the symbols after the last whole step come first.
    std::uint16_t* word = rans_encode_scalar(table, symbols + done, contexts == nullptr ? nullptr : contexts + done,
                                             n_symbols - done, nullptr, words_end, states);
    const Ahead lines(ahead, symbols);
    if (contexts != nullptr) {
        return encode_steps<WideLookup<true>>(table, symbols, contexts, n_steps, lines, word, states);
    }
    if (table.narrow == nullptr) {
        return encode_steps<WideLookup<false>>(table, symbols, nullptr, n_steps, lines, word, states);
    }
    if (table.narrow->increments) {
        return encode_steps<NarrowLookup<true>>(table, symbols, nullptr, n_steps, lines, word, states);
    }
    return encode_steps<NarrowLookup<false>>(table, symbols, nullptr, n_steps, lines, word, states);
}

}  // namespace
}  // namespace weightzip
