#include "kernels/elementwise.hpp"

#include "kernels/elementwise.inl"

namespace weightzip {

const ElementwiseKernels kElementwiseScalar = WEIGHTZIP_ELEMENTWISE_KERNELS;

}  // namespace weightzip
