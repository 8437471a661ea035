// The bytes of one plane in a stretch, and how a lane takes some of them at once.

// In shared or global memory, or all the same.
struct PlaneBytes {
    const u8* bytes;  // nullptr: all are the constant
    u32 constant;

    __device__ __forceinline__ u32 get(u32 i) const { return bytes != nullptr ? bytes[i] : constant; }
};

// As many neighbouring bytes of a plane as a vector has elements, as words.
template <u32 kBytes>
struct PlaneWords {
    u32 words[kBytes < 4 ? 1 : kBytes / 4];

    __device__ __forceinline__ u32 get(u32 i) const { return words[i / 4] >> (8 * i % 32) & 255; }
};

// The bytes stand at a multiple of kBytes.
template <u32 kBytes>
__device__ __forceinline__ PlaneWords<kBytes> load_plane(const PlaneBytes& plane, u32 i) {
    constexpr u32 n_words = sizeof(PlaneWords<kBytes>) / 4;
    PlaneWords<kBytes> loaded;
#pragma unroll
    for (u32 w = 0; w < n_words; ++w) loaded.words[w] = plane.constant * 0x01010101u;
    if (plane.bytes == nullptr) return loaded;
    const u8* const from = plane.bytes + i;
    if constexpr (kBytes == 2) {
        loaded.words[0] = *reinterpret_cast<const u16*>(from);
    } else if constexpr (kBytes == 4) {
        loaded.words[0] = *reinterpret_cast<const u32*>(from);
    } else if constexpr (kBytes == 8) {
        const uint2 two = *reinterpret_cast<const uint2*>(from);
        loaded.words[0] = two.x, loaded.words[1] = two.y;
    } else {
        const Vector four = load_vector(from);
#pragma unroll
        for (u32 w = 0; w < n_words; ++w) loaded.words[w] = four.words[w];
    }
    return loaded;
}
