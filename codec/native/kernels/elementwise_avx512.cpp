// The same source as elementwise_scalar.cpp, built for AVX-512.
#include "kernels/elementwise.hpp"

#include "kernels/elementwise.inl"

namespace weightzip {

const ElementwiseKernels kElementwiseAvx512 = WEIGHTZIP_ELEMENTWISE_KERNELS;

}  // namespace weightzip
