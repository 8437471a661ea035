#include "cpu/dispatch.hpp"

namespace weightzip {
namespace {

constexpr KernelSet kScalar{
    "scalar", {}, &kElementwiseScalar, map_bytes_scalar, count_byte_scalar, find_outside_scalar, rans_encode_scalar,
    rans_decode_scalar, 1};

#if defined(__x86_64__)
constexpr const char* kAvx2Features[] = {"avx2", "bmi2"};
constexpr const char* kAvx512Features[] = {"avx2",     "bmi2",     "avx512f",   "avx512bw",
                                           "avx512vl", "avx512vbmi", "avx512vbmi2"};

constexpr KernelSet kAvx2{
    "avx2", kAvx2Features, &kElementwiseAvx2, map_bytes_avx2, count_byte_avx2, find_outside_avx2, rans_encode_avx2,
    rans_decode_avx2, 2};

// What gains nothing from AVX-512 is that of AVX2.
constexpr KernelSet kAvx512{
    "avx512", kAvx512Features, &kElementwiseAvx512, map_bytes_avx512, count_byte_avx2, find_outside_avx2,
    rans_encode_avx512, rans_decode_avx512, 4};

// The compiler takes nothing but literals here.
bool has_avx2() noexcept { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }

bool has_avx512() noexcept {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

std::vector<const KernelSet*> find_kernels() {
    std::vector<const KernelSet*> sets;
#if defined(__x86_64__)
    if (has_avx512()) sets.push_back(&kAvx512);
    if (has_avx2()) sets.push_back(&kAvx2);
#endif
    sets.push_back(&kScalar);
    return sets;
}

}  // namespace

const std::vector<const KernelSet*>& list_kernels() {
    static const std::vector<const KernelSet*> sets = find_kernels();
    return sets;
}

const KernelSet& best_kernels() { return *list_kernels().front(); }

}  // namespace weightzip
