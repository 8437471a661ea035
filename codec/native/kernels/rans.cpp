#include "kernels/rans.hpp"

#include <bit>

namespace weightzip {

EncodeEntry make_encode_entry(std::uint32_t frequency, std::uint32_t start, unsigned prob_bits) noexcept {
    const auto pack = [&](std::uint64_t reciprocal, unsigned shift, std::uint32_t increment) {
        return EncodeEntry{static_cast<std::uint32_t>(reciprocal),
                           frequency | start << 13 | static_cast<std::uint32_t>(shift) << 25 | increment << 29};
    };
    if (frequency == 1) return pack(0xffffffffu, 0, 1);  // (x + 1) * (2^32 - 1) >> 32 = x
    const auto shift = static_cast<unsigned>(std::bit_width(frequency - 1)) - 1;
    const std::uint64_t numerator = std::uint64_t{1} << (32 + shift);
    const std::uint64_t down = numerator / frequency;
    const std::uint64_t rest = numerator % frequency;
    if (rest == 0) return pack(down, shift, 0);
    const bool round_up = frequency * (frequency - rest) <= std::uint64_t{1} << (prob_bits + shift);
    return round_up ? pack(down + 1, shift, 0) : pack(down, shift, 1);
}

}  // namespace weightzip
