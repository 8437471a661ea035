// Frames without blocks whose bytes follow from others on the device (docs/format.md, "Data frame body").

constexpr u32 kBf16Nearest = 0;
constexpr u32 kBf16Truncated = 1;
constexpr u32 kFp16Nearest = 2;

// Without its lowest n_bits, 1 to 26, rounded to the nearest, ties to even.
__device__ __forceinline__ u32 round_off(u32 x, u32 n_bits) {
    return (x + (1u << (n_bits - 1)) - 1 + (x >> n_bits & 1)) >> n_bits;
}

__device__ __forceinline__ u32 round_to_bf16(u32 x) {
    const bool is_nan = (x & 0x7fffffffu) > 0x7f800000u;
    return is_nan ? x >> 16 | 0x40 : round_off(x, 16);
}

__device__ __forceinline__ u32 round_to_fp16(u32 x) {
    const u32 sign = x >> 16 & 0x8000;
    const u32 magnitude = x & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7e00 | (magnitude >> 13 & 0x3ff);
    if (magnitude >= 0x38800000u) return sign | min(round_off(magnitude - (112u << 23), 13), 0x7c00u);
    // A denormal counts units of 2^-24; of 24 digits, 26 places to the right nothing is left.
    const u32 exponent = magnitude >> 23;
    const u32 n_bits = exponent >= 125 ? 1 : min(126 - exponent, 26u);
    return sign | round_off((magnitude & 0x7fffffu) | 0x800000u, n_bits);
}

__device__ __forceinline__ u32 derive_element(u32 x, u32 derivation) {
    if (derivation == kBf16Nearest) return round_to_bf16(x) & 0xffff;
    if (derivation == kBf16Truncated) return x >> 16;
    return derivation == kFp16Nearest ? round_to_fp16(x) : x & 0xffff;
}

// Derives n elements of 2 bytes from as many of fp32.
extern "C" __global__ void __launch_bounds__(256) derive_elements(const u32* companion, u16* out, u32 n,
                                                                  u32 derivation) {
    const u32 stride = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        out[i] = u16(derive_element(companion[i], derivation));
    }
}
