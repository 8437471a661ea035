// What the vector kernels of rANS decoding share, for files that have immintrin.h. Everything is in the unnamed
// namespace: two files with different targets must never share a function, or the linker could keep the one that the
// processor cannot run.

namespace weightzip {
namespace {

// Gathers entries[index] for 4 indices. On current processors four loads are faster than the gather instruction.
inline __m128i look_up_four(const std::uint32_t* entries, __m128i index) noexcept {
    const auto a = static_cast<std::uint64_t>(_mm_cvtsi128_si64(index));
    const auto b = static_cast<std::uint64_t>(_mm_extract_epi64(index, 1));
    const auto at = [&](std::uint64_t i) { return static_cast<int>(entries[i]); };
    return _mm_setr_epi32(at(a & 0xffffffffu), at(a >> 32), at(b & 0xffffffffu), at(b >> 32));
}

// Moves the words that are left to the tail; at most kStepReadBytes of them.
void move_to_tail(RansCursor& cursor) noexcept {
    const auto n_bytes = static_cast<std::size_t>(cursor.words_end - cursor.words);
    std::memset(cursor.tail, 0, sizeof cursor.tail);
    std::memcpy(cursor.tail, cursor.words, n_bytes);
    cursor.words = cursor.tail;
    cursor.words_end = cursor.tail + n_bytes;
    cursor.in_tail = true;
}

// Lowers n_steps to how many steps may load ahead without asking again, at least 1. Returns false if the words have run
// out.
inline bool prepare_steps(RansCursor& cursor, const std::uint8_t*& words, std::size_t& n_steps) noexcept {
    const std::ptrdiff_t left = cursor.words_end - words;
    if (left >= kStepReadBytes) {
        const auto n_safe = static_cast<std::size_t>((left - kStepReadBytes) / kStepWordBytes) + 1;
        if (n_safe < n_steps) n_steps = n_safe;
        return true;
    }
    n_steps = 1;
    if (cursor.in_tail) return left >= 0;
    cursor.words = words;
    move_to_tail(cursor);
    words = cursor.words;
    return true;
}

// The same stream from symbol i on.
inline RansStream skip_symbols(const RansStream& stream, std::size_t i) noexcept {
    RansStream rest = stream;
    rest.symbols += i;
    if (rest.contexts != nullptr) rest.contexts += i;
    if (rest.low_plane != nullptr) rest.low_plane += i;
    if (rest.raw != nullptr) rest.raw += 2 * i;
    return rest;
}

}  // namespace
}  // namespace weightzip
