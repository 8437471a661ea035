// The same source as elementwise_scalar.cpp, built for AVX2.
#include "kernels/elementwise.hpp"

#include "kernels/elementwise.inl"

namespace weightzip {

const ElementwiseKernels kElementwiseAvx2 = WEIGHTZIP_ELEMENTWISE_KERNELS;

}  // namespace weightzip
