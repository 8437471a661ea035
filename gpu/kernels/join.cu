// From the planes of a stretch to its elements, where they belong.

// Two elements of 16 bits a word: u, and from it x of the transform rotate without zero bits.
__device__ __forceinline__ u32 interleave(u32 high, u32 low, u32 pair) {
    return __byte_perm(low, high, pair == 0 ? 0x5140 : 0x7362);
}

__device__ __forceinline__ u32 rotate_back(u32 two) { return (two >> 1 & 0x7fff7fffu) | (two << 15 & 0x80008000u); }

// Joins n elements of 2 bytes, a multiple of eight, by the usual recipe of bf16 and fp16 alone: rotated, both planes in
// memory.
__device__ __forceinline__ void join_rotated(const u8* high, const u8* low, u32 n, u8* out) {
#pragma unroll 4
    for (u32 i = lane_number() * 8; i < n; i += kLanes * 8) {
        const uint2 upper = *reinterpret_cast<const uint2*>(high + i);
        const uint2 lower = __ldcs(reinterpret_cast<const uint2*>(low + i));
        const uint4 joined = make_uint4(
            rotate_back(interleave(upper.x, lower.x, 0)), rotate_back(interleave(upper.x, lower.x, 1)),
            rotate_back(interleave(upper.y, lower.y, 0)), rotate_back(interleave(upper.y, lower.y, 1)));
        __stcs(reinterpret_cast<uint4*>(out + 2 * i), joined);
    }
}

// u of neighbouring elements.
template <u32 kLog2>
__device__ __forceinline__ typename ElementOf<kLog2>::Type join_element(
    const PlaneWords<Elements<kLog2>::kInVector>* planes, u32 j) {
    typename ElementOf<kLog2>::Type u = 0;
#pragma unroll
    for (u32 k = 0; k < Elements<kLog2>::kBytes; ++k) u = u << 8 | planes[k].get(j);
    return u;
}

// Joins a vector of elements that begin at element i of a stretch. predicted: as in join_stretch.
template <u32 kLog2>
__device__ __forceinline__ Vector join_vector(const Frame& frame, const PlaneBytes* planes, const u8* predicted,
                                              u32 i) {
    typedef Elements<kLog2> E;
    PlaneWords<E::kInVector> loaded[E::kBytes];
#pragma unroll
    for (u32 k = 0; k < E::kBytes; ++k) loaded[k] = load_plane<E::kInVector>(planes[k], i);
    Vector p = {{0, 0, 0, 0}};
    if (predicted != nullptr) p = load_vector(predicted + (i << kLog2));
    Vector joined = {{0, 0, 0, 0}};
#pragma unroll
    for (u32 j = 0; j < E::kInVector; ++j) {
        const typename E::Type u = join_element<kLog2>(loaded, j);
        joined.put<kLog2>(j, E::restore(u, p.get<kLog2>(j), frame.transform, frame.zero_bits));
    }
    return joined;
}

// Joins element i of a stretch alone.
template <u32 kLog2>
__device__ __forceinline__ typename ElementOf<kLog2>::Type join_alone(const Frame& frame, const PlaneBytes* planes,
                                                                      const u8* predicted, u32 i) {
    typedef typename ElementOf<kLog2>::Type Type;
    Type u = 0;
#pragma unroll 1
    for (u32 k = 0; k < Elements<kLog2>::kBytes; ++k) u = u << 8 | planes[k].get(i);
    const Type p = predicted != nullptr ? Type(load_element(predicted, kLog2, i)) : 0;
    return Elements<kLog2>::restore(u, p, frame.transform, frame.zero_bits);
}

// Joins n elements of a stretch and stores them. predicted: as many elements, nullptr if none are needed.
template <u32 kLog2>
__device__ __forceinline__ void join_stretch(const Frame& frame, const PlaneBytes* planes, const u8* predicted, u32 n,
                                             u8* out) {
    constexpr u32 in_vector = Elements<kLog2>::kInVector;
    const u32 n_in_vectors = n / in_vector * in_vector;
    u32 begin = 0;
    if (kLog2 == 1 && frame.transform == kRotate && frame.zero_bits == 0 && planes[0].bytes != nullptr &&
        planes[1].bytes != nullptr) {
        join_rotated(planes[0].bytes, planes[1].bytes, n_in_vectors, out);
        begin = n_in_vectors;
    }
#pragma unroll 1
    for (u32 i = begin + lane_number() * in_vector; i < n_in_vectors; i += kLanes * in_vector) {
        store_vector(out + (i << kLog2), join_vector<kLog2>(frame, planes, predicted, i));
    }
    const u32 i = n_in_vectors + lane_number();
    if (i < n) store_element(out, kLog2, i, join_alone<kLog2>(frame, planes, predicted, i));
}
