// Kernels that look at one element at a time: split into planes, join from planes, context keys.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weightzip {

// Most planes an element can have.
inline constexpr std::size_t kMaxPlanes = 8;

// Transforms an element (docs/format.md "Transforms") and writes byte k of the result to planes[k].
//   raw, predecessor: n_elements * W readable bytes each, any alignment; predecessor is read by transforms 2 and 3 only
//   planes:           W pointers to n_elements writable bytes each, or nullptr for a plane that is not wanted
// Ranges do not overlap. Cannot fail.
using SplitKernel = void (*)(const std::uint8_t* raw, const std::uint8_t* predecessor,
                             std::uint8_t* const* planes, std::size_t n_elements) noexcept;

// The inverse: reads W planes of n_elements bytes, writes n_elements * W bytes to raw.
using JoinKernel = void (*)(const std::uint8_t* const* planes, const std::uint8_t* predecessor,
                            std::uint8_t* raw, std::size_t n_elements) noexcept;

// Writes the context key of each of the predecessor's n_elements elements (docs/format.md "Recipe").
using KeyKernel = void (*)(const std::uint8_t* predecessor, std::uint8_t* keys, std::size_t n_elements,
                           unsigned key_shift, std::uint32_t key_base) noexcept;

// Indexed by element_log2, then by transform.
struct ElementwiseKernels {
    SplitKernel split[4][4];
    JoinKernel join[4][4];
    KeyKernel keys[4];
};

extern const ElementwiseKernels kElementwiseScalar;
#if defined(__x86_64__)
extern const ElementwiseKernels kElementwiseAvx2;
extern const ElementwiseKernels kElementwiseAvx512;
#endif

}  // namespace weightzip
