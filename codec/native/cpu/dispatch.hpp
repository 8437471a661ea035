// Which kernels this processor runs.
#pragma once

#include "kernels/elementwise.hpp"
#include "kernels/bytes.hpp"
#include "kernels/rans_decode.hpp"
#include "kernels/rans_encode.hpp"

namespace weightzip {

// One implementation of every kernel that has several. All sets give the same bytes.
struct KernelSet {
    const ElementwiseKernels* elementwise;
    MapBytesKernel map_bytes;
    CountByteKernel count_byte;
    FindOutsideKernel find_outside;
    RansEncodeKernel rans_encode;
    RansDecodeKernel rans_decode;
};

// Whether the vector kernels can run here: the processor has AVX2 and BMI2, and the system saves their registers.
bool has_avx2() noexcept;

const KernelSet& scalar_kernels() noexcept;

// The fastest set this processor can run.
const KernelSet& best_kernels() noexcept;

}  // namespace weightzip
