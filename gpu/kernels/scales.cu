// Scales: rows multiplied by columns, in logarithms (docs/format.md, "Factors"). Whole numbers of 32 bits suffice:
// bases are limited on the host, and no other term comes near 2^30.

// The number of the section that an element is in.
__device__ __forceinline__ u32 find_section(const Section* sections, u32 n_sections, u32 element) {
    u32 first = 0;
    u32 n = n_sections;
    while (n > 1) {
        const u32 half = n / 2;
        if (sections[first + half].first_element <= element) first += half, n -= half;
        else n = half;
    }
    return first;
}

__device__ __forceinline__ i32 sum_factors(const Frame& frame, u32 element) {
    const Section& section = frame.sections[find_section(frame.sections, frame.n_sections, element)];
    if (section.n_columns == 0) return section.base;
    const u32 place = section.first_column + element - section.first_element;
    const u32 row = place / section.n_columns;
    const u32 column = place - row * section.n_columns;
    const i32 both = frame.factors[section.rows + row] + frame.factors[section.columns + column];
    return section.base + both * (1 << frame.step_log2);
}

// The share that the predecessor's element has in a sum.
template <u32 kLog2>
__device__ __forceinline__ i32 weigh(const Frame& frame, typename ElementOf<kLog2>::Type q) {
    typedef Elements<kLog2> E;
    const u32 mantissa_bits = frame.mantissa_bits;
    const typename E::Type magnitude = q & ~E::kSign;
    const i32 exponent = i32(u32(magnitude >> mantissa_bits));
    if (frame.weight == kMinusExponent) return -256 * exponent;
    const u32 fraction = mantissa_bits >= 8 ? u32(magnitude >> (mantissa_bits - 8)) & 255
                                            : u32(magnitude) << (8 - mantissa_bits) & 255;
    return (i32(frame.weight) * (256 * exponent + frame.log_exp[fraction])) >> 4;
}

// exp(L).
template <u32 kLog2>
__device__ __forceinline__ typename ElementOf<kLog2>::Type raise_to_power(const Frame& frame, i32 level) {
    typedef typename ElementOf<kLog2>::Type Type;
    const u32 mantissa_bits = frame.mantissa_bits;
    const i32 last = 256 * ((1 << (Elements<kLog2>::kBits - 1 - mantissa_bits)) - 1) - 1;
    const u32 clamped = u32(min(max(level, 0), last));
    const Type fraction = frame.log_exp[kSymbols + (clamped & 255)];
    const Type mantissa = mantissa_bits >= 16 ? fraction << (mantissa_bits - 16) : fraction >> (16 - mantissa_bits);
    return Type(clamped >> 8) << mantissa_bits | mantissa;
}

// Writes the scales of n elements from `first` on. Lanes write what others read.
template <u32 kLog2>
__device__ __forceinline__ void find_scales(const Frame& frame, u32 first, u32 n, u8* scales) {
    typedef typename ElementOf<kLog2>::Type Type;
#pragma unroll 1
    for (u32 i = lane_number(); i < n; i += kLanes) {
        i32 level = sum_factors(frame, first + i);
        if (frame.weight != 0) {
            const Type q = Type(load_element(frame.predecessor, kLog2, first + i));
            level += weigh<kLog2>(frame, q);
        }
        store_element(scales, kLog2, i, raise_to_power<kLog2>(frame, level));
    }
}
