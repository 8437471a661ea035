// Elements: what is coded, what is predicted, and how one follows from the other (docs/format.md, "Transforms").

template <u32 kLog2>
struct ElementOf {
    typedef u32 Type;
};
template <>
struct ElementOf<3> {
    typedef u64 Type;
};

// Elements of 1 << kLog2 bytes, in a type of 32 or 64 bits; the bits above an element are 0.
template <u32 kLog2>
struct Elements {
    typedef typename ElementOf<kLog2>::Type Type;
    static constexpr u32 kBytes = 1u << kLog2;
    static constexpr u32 kBits = 8u << kLog2;
    static constexpr u32 kInVector = kVectorBytes >> kLog2;
    static constexpr Type kSign = Type(1) << (kBits - 1);
    static constexpr Type kMask = kSign | (kSign - 1);

    static __device__ __forceinline__ Type order(Type x) { return (x & kSign) != 0 ? ~x & kMask : x | kSign; }
    static __device__ __forceinline__ Type unorder(Type y) { return (y & kSign) != 0 ? y & ~kSign : ~y & kMask; }
    static __device__ __forceinline__ Type unzigzag(Type u) { return (u >> 1) ^ (Type(0) - (u & 1)); }

    // x from u and the predicted element, for any transform.
    static __device__ __forceinline__ Type restore(Type u, Type predicted, u32 transform, u32 zero_bits) {
        if (transform == kRotate) return (u >> 1 >> zero_bits << zero_bits) | ((u >> zero_bits << (kBits - 1)) & kSign);
        if (transform == kIntegerDifference) return ((unzigzag(u) + (predicted >> zero_bits)) << zero_bits) & kMask;
        if (transform != kFloatDifference) return u;
        const Type ordered = ((unzigzag(u) + (order(predicted) >> zero_bits)) << zero_bits) & kMask;
        return unorder(ordered) >> zero_bits << zero_bits;
    }
};

// 16 bytes as words: neighbouring elements of any size.
struct Vector {
    u32 words[4];

    template <u32 kLog2>
    __device__ __forceinline__ typename ElementOf<kLog2>::Type get(u32 i) const {
        if (kLog2 == 3) return typename ElementOf<kLog2>::Type(u64(words[(2 * i + 1) % 4]) << 32 | words[2 * i % 4]);
        const u32 shift = (8u << kLog2) * i % 32;
        return words[(i << kLog2) / 4] >> shift & u32(Elements<kLog2>::kMask);
    }

    // Each element once, into words that were 0.
    template <u32 kLog2>
    __device__ __forceinline__ void put(u32 i, typename ElementOf<kLog2>::Type x) {
        if (kLog2 == 3) {
            words[2 * i % 4] = u32(x);
            words[(2 * i + 1) % 4] = u32(u64(x) >> 32);
        } else {
            words[(i << kLog2) / 4] |= u32(x) << ((8u << kLog2) * i % 32);
        }
    }
};

// The address is a multiple of 16.
__device__ __forceinline__ Vector load_vector(const u8* from) {
    const uint4 loaded = *reinterpret_cast<const uint4*>(from);
    return {{loaded.x, loaded.y, loaded.z, loaded.w}};
}

__device__ __forceinline__ void store_vector(u8* to, const Vector& vector) {
    const uint4 stored = make_uint4(vector.words[0], vector.words[1], vector.words[2], vector.words[3]);
    __stcs(reinterpret_cast<uint4*>(to), stored);
}

// Element number i of elements of 1 << log2 bytes.
__device__ __forceinline__ u64 load_element(const u8* from, u32 log2, u64 i) {
    if (log2 == 0) return from[i];
    if (log2 == 1) return reinterpret_cast<const u16*>(from)[i];
    if (log2 == 2) return reinterpret_cast<const u32*>(from)[i];
    return reinterpret_cast<const u64*>(from)[i];
}

__device__ __forceinline__ void store_element(u8* to, u32 log2, u32 i, u64 x) {
    if (log2 == 0) to[i] = u8(x);
    if (log2 == 1) reinterpret_cast<u16*>(to)[i] = u16(x);
    if (log2 == 2) reinterpret_cast<u32*>(to)[i] = u32(x);
    if (log2 == 3) reinterpret_cast<u64*>(to)[i] = x;
}
