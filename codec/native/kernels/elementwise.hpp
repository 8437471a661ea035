// Kernels that look at one element at a time: split into planes, join from planes, context keys, prediction from
// logarithms, derivation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weightzip {

// Most planes an element can have.
inline constexpr std::size_t kMaxPlanes = 8;

// Transforms an element (docs/format.md "Transforms") and writes byte k of the result to planes[k].
//   raw, predicted: n_elements * W readable bytes each, any alignment; predicted is read by transforms 2 and 3 only
//   zero_bits:      below 8 W; so many low bits of every raw element are 0
//   planes:         W pointers to n_elements writable bytes each, or nullptr for a plane that is not wanted
// Ranges do not overlap. Cannot fail.
using SplitKernel = void (*)(const std::uint8_t* raw, const std::uint8_t* predicted, unsigned zero_bits,
                             std::uint8_t* const* planes, std::size_t n_elements) noexcept;

// The inverse: reads W planes of n_elements bytes, writes n_elements * W bytes to raw.
using JoinKernel = void (*)(const std::uint8_t* const* planes, const std::uint8_t* predicted, unsigned zero_bits,
                            std::uint8_t* raw, std::size_t n_elements) noexcept;

// Writes the context key of each of the n_elements elements of the context input (docs/format.md "Recipe").
using KeyKernel = void (*)(const std::uint8_t* elements, std::uint8_t* keys, std::size_t n_elements,
                           unsigned key_shift, std::uint32_t key_base) noexcept;

// Writes log(p) of each element p (docs/format.md "Factors").
using LogKernel = void (*)(const std::uint8_t* elements, std::int32_t* logs, std::size_t n_elements,
                           unsigned mantissa_bits) noexcept;

// Writes the scales exp((weight * log(p) >> 4) + offset), or exp(offset - 256 exponent(p)) if weight is 255. |offset| is
// below 2^28; predecessor is read only if weight (otherwise at most 16) is above 0.
using PredictKernel = void (*)(const std::uint8_t* predecessor, const std::int32_t* offsets, std::uint8_t* predicted,
                               std::size_t n_elements, unsigned mantissa_bits, unsigned weight) noexcept;

// Writes the context keys of the scales that PredictKernel writes, without these. weight is 0 or 255, key_shift
// mantissa_bits - 1 or more.
using ScaleKeyKernel = void (*)(const std::uint8_t* predecessor, const std::int32_t* offsets, std::uint8_t* keys,
                                std::size_t n_elements, unsigned mantissa_bits, unsigned weight, unsigned key_shift,
                                std::uint32_t key_base) noexcept;

// Adds the size of each change from the predecessor, or of each element if that is nullptr, to that of its place in sums,
// and returns the sum of all. Sizes are in fixed point: 2^29 or more, below 2^30, for elements whose exponent is
// top_exponent. Those with higher exponents are taken to have this one.
using ChangeKernel = std::uint64_t (*)(const std::uint8_t* raw, const std::uint8_t* predecessor, std::uint64_t* sums,
                                       std::size_t n_elements, unsigned mantissa_bits, unsigned top_exponent) noexcept;

// Writes the element of 2 bytes that follows from each fp32 element (docs/format.md "Data frame body", derived).
using DeriveKernel = void (*)(const std::uint8_t* companion, std::uint8_t* out, std::size_t n_elements) noexcept;

inline constexpr unsigned kDerivations = 4;

// Indexed by element_log2, then by transform; derive by derivation.
struct ElementwiseKernels {
    SplitKernel split[4][4];
    JoinKernel join[4][4];
    KeyKernel keys[4];
    LogKernel logs[4];
    PredictKernel predict[4];
    ScaleKeyKernel scale_keys[4];
    ChangeKernel add_changes[4];
    DeriveKernel derive[kDerivations];
};

extern const ElementwiseKernels kElementwiseScalar;
#if defined(__x86_64__)
extern const ElementwiseKernels kElementwiseAvx2;
extern const ElementwiseKernels kElementwiseAvx512;
#endif

}  // namespace weightzip
