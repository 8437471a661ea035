#include "cpu/dispatch.hpp"

namespace weightzip {

bool has_avx2() noexcept {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
#else
    return false;
#endif
}

const KernelSet& scalar_kernels() noexcept {
    static constexpr KernelSet kernels{&kElementwiseScalar, map_bytes_scalar, count_byte_scalar, find_outside_scalar,
                                       rans_encode_scalar, rans_decode_scalar};
    return kernels;
}

const KernelSet& best_kernels() noexcept {
#if defined(__x86_64__)
    static constexpr KernelSet avx2{&kElementwiseAvx2, map_bytes_avx2, count_byte_avx2, find_outside_avx2,
                                    rans_encode_avx2, rans_decode_avx2};
    static const KernelSet& best = has_avx2() ? avx2 : scalar_kernels();
    return best;
#else
    return scalar_kernels();
#endif
}

}  // namespace weightzip
