#include "block/zero_bits.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weightzip {
namespace {

// Nearly all elements are told by the first words.
constexpr std::size_t kPassBytes = 1024;
constexpr std::size_t kWordBytes = 8;

// The bits that any of n_bytes bytes has, one element beside another.
std::uint64_t collect_bits(const std::uint8_t* bytes, std::size_t n_bytes) noexcept {
    std::uint64_t bits = 0;
    std::size_t i = 0;
    for (; i + kWordBytes <= n_bytes; i += kWordBytes) {
        std::uint64_t word;
        std::memcpy(&word, bytes + i, kWordBytes);
        bits |= word;
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes + i, n_bytes - i);
    return bits | rest;
}

}  // namespace

std::uint8_t find_zero_bits(const Elements& elements) noexcept {
    if (elements.transform == kIdentity) return 0;
    const unsigned width = 8u << elements.element_log2;
    const std::uint64_t lowest = ~std::uint64_t{0} / ((std::uint64_t{1} << (width - 1) << 1) - 1);  // of each element
    const std::size_t n_bytes = elements.n_elements << elements.element_log2;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < n_bytes; i += kPassBytes) {
        bits |= collect_bits(elements.raw + i, std::min(kPassBytes, n_bytes - i));
        if ((bits & lowest) != 0) return 0;
    }
    unsigned n_zero = 1;
    while (n_zero < width - 1 && (bits & lowest << n_zero) == 0) ++n_zero;
    // Alone, bits that fill no plane cost nothing, and without them the decoder has a shorter way.
    return static_cast<std::uint8_t>(elements.transform == kRotate && n_zero < 8 ? 0 : n_zero);
}

}  // namespace weightzip
