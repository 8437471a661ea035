// Which kernels this processor runs.
#pragma once

#include <span>
#include <vector>

#include "kernels/bytes.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/rans_decode.hpp"
#include "kernels/rans_encode.hpp"

namespace weightzip {

// One implementation of every kernel that has several. All sets give the same bytes.
struct KernelSet {
    const char* name;
    std::span<const char* const> features;  // of the processor, that it needs
    const ElementwiseKernels* elementwise;
    MapBytesKernel map_bytes;
    CountByteKernel count_byte;
    FindOutsideKernel find_outside;
    RansEncodeKernel rans_encode;
    RansDecodeKernel rans_decode;
    std::size_t decode_streams;  // how many at a time rans_decode is fastest with
};

// The sets that this processor can run and whose registers the system saves: the fastest first, the scalar one last.
const std::vector<const KernelSet*>& list_kernels();

const KernelSet& best_kernels();

}  // namespace weightzip
