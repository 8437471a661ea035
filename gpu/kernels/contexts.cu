// Contexts: which table codes an element (docs/format.md, "Recipe").

// The key of an element whose sign is the top one of n_bits.
__device__ __forceinline__ u32 find_key(u64 c, u32 n_bits, u32 key_shift, u32 key_base) {
    const u64 shifted = (c & ~(u64(1) << (n_bits - 1))) >> key_shift;
    return shifted > key_base ? u32(min(shifted - key_base, u64(255))) : 0;
}

// The element of the context input that belongs to element i of a stretch that begins at `first`.
template <u32 kLog2>
__device__ __forceinline__ u64 load_context_input(const Frame& frame, u32 first, u32 i, const u8* scales) {
    if (frame.context_input == kByScale) return load_element(scales, kLog2, i);
    if (frame.context_input == kByCompanion) return load_element(frame.companion, frame.companion_log2, first + i);
    return load_element(frame.predecessor, kLog2, first + i);
}

// Writes the contexts of n elements from `first` on. Lanes write what others read.
template <u32 kLog2>
__device__ __forceinline__ void find_contexts(const Frame& frame, u32 first, u32 n, const u8* scales, u8* contexts) {
    const u32 n_bits = frame.context_input == kByCompanion ? 8u << frame.companion_log2 : 8u << kLog2;
#pragma unroll 1
    for (u32 i = lane_number(); i < n; i += kLanes) {
        const u64 c = load_context_input<kLog2>(frame, first, i, scales);
        contexts[i] = frame.context_of_key[find_key(c, n_bits, frame.key_shift, frame.key_base)];
    }
}

// Writes the low contexts of n elements, by their bytes in the top plane.
__device__ __forceinline__ void find_low_contexts(const u8* map, const PlaneBytes& top, u32 n, u8* contexts) {
#pragma unroll 1
    for (u32 i = lane_number(); i < n; i += kLanes) contexts[i] = map[top.get(i)];
}
