#include "kernels/bytes.hpp"

#include <cstring>

namespace weightzip {

ByteMap make_byte_map(const std::uint8_t* map) noexcept {
    ByteMap result{};
    std::memcpy(result.map, map, sizeof result.map);
    for (unsigned b = 1; b < 256; ++b) {
        if (map[b] == map[b - 1]) continue;
        if (map[b] != map[b - 1] + 1 || result.n_steps == kMaxMapSteps) {
            result.n_steps = kMaxMapSteps + 1;
            break;
        }
        result.steps[result.n_steps++] = static_cast<std::uint8_t>(b);
    }
    return result;
}

void map_bytes_scalar(std::uint8_t* bytes, std::size_t n_bytes, const ByteMap& map) noexcept {
    for (std::size_t i = 0; i < n_bytes; ++i) bytes[i] = map.map[bytes[i]];
}

std::size_t count_byte_scalar(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t wanted) noexcept {
    std::size_t n = 0;
    for (std::size_t i = 0; i < n_bytes; ++i) n += bytes[i] == wanted ? 1u : 0u;
    return n;
}

std::size_t find_outside_scalar(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t first, std::uint8_t count,
                                std::uint16_t* positions) noexcept {
    std::size_t n = 0;
    for (std::size_t i = 0; i < n_bytes; ++i) {
        if (static_cast<std::uint8_t>(bytes[i] - first) >= count) positions[n++] = static_cast<std::uint16_t>(i);
    }
    return n;
}

}  // namespace weightzip
