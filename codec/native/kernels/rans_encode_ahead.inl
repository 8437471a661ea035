// What the vector kernels of rANS encoding fetch while they compute. In the unnamed namespace, for the reason that
// rans_decode_steps.inl gives.

#include <cstddef>
#include <cstdint>

namespace weightzip {
namespace {

// Fetches a line of what lies ahead with each step, or the same one again and again if nothing does.
struct Ahead {
    const std::uint8_t* line;
    std::size_t line_bytes;

    Ahead(const std::uint8_t* ahead, const std::uint8_t* otherwise) noexcept
        : line(ahead != nullptr ? ahead : otherwise), line_bytes(ahead != nullptr ? 2 * kLanes : 0) {}

    void fetch_line() noexcept {
        __builtin_prefetch(line, 0, 2);
        line += line_bytes;
    }
};

}  // namespace
}  // namespace weightzip
