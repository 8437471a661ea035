// Decoding block groups: a warp a block, some blocks of one frame a block of threads.

// Shared memory: the frame, its tables unless they are read where they are, then the memory of every warp: this, its
// streams, and what Frame has offsets of, as far as the frame needs it.
struct WarpMemory {
    PlaneBytes planes[kMaxPlanes];
};

__device__ __forceinline__ Stream& stream_of(WarpMemory& memory, const Plane& plane) {
    return reinterpret_cast<Stream*>(&memory + 1)[plane.stream];
}

__device__ __forceinline__ u8* bytes_at(WarpMemory& memory, u32 offset) {
    return reinterpret_cast<u8*>(&memory) + offset;
}

// One block of a frame, by a warp.
struct Block {
    const Frame& frame;  // in shared memory
    WarpMemory& memory;
    const u8* tables;
    u32 number;

    // Each lane reports what it found; mostly nothing.
    __device__ __forceinline__ void report(u32 faults) const {
        if (faults != 0) atomicOr(frame.status, faults);
    }
};

// What a stretch is of: n elements from `begin` on of the block.
struct Stretch {
    u32 begin;
    u32 n;
};

__device__ __forceinline__ u32 count_elements(const Block& block) {
    const u32 first = block.number << block.frame.block_log2;
    return min(block.frame.n_elements - first, 1u << block.frame.block_log2);
}

template <u32 kLog2>
__device__ __forceinline__ const Payload& payload_of(const Block& block, u32 k) {
    return block.frame.payloads[(block.number << kLog2) + k];
}

// The contexts that a plane is coded with, nullptr if it has one table.
__device__ __forceinline__ const u8* contexts_of(const Block& block, const Plane& plane) {
    if (plane.mode == kModeContexts) return bytes_at(block.memory, block.frame.contexts_offset);
    return plane.mode == kModeLowContexts ? bytes_at(block.memory, block.frame.low_contexts_offset) : nullptr;
}

// Opens the streams of all planes; false after a fault.
template <u32 kLog2>
__device__ __forceinline__ bool open_planes(const Block& block) {
#pragma unroll 1
    for (u32 k = 0; k < Elements<kLog2>::kBytes; ++k) {
        const Payload& payload = payload_of<kLog2>(block, k);
        if (payload.storage != kStorageRans) continue;
        const Plane& plane = block.frame.planes[k];
        const u32 faults = open_stream(block.frame.payload_area + payload.offset, payload.bytes, plane.has_escape,
                                       count_elements(block), stream_of(block.memory, plane));
        block.report(faults);
        if (faults != 0) return false;
    }
    return true;
}

// Without contexts of any kind, code for them would only take registers.
template <bool kHasContexts>
__device__ __forceinline__ void decode_plane(const Block& block, const Plane& plane, const Stretch& stretch) {
    Stream& stream = stream_of(block.memory, plane);
    const u8* const contexts = kHasContexts ? contexts_of(block, plane) : nullptr;
    const u8* const tables = block.tables + plane.tables;
    if (contexts == nullptr) {
        decode_symbols(SlotTable{reinterpret_cast<const u32*>(tables), plane.prob_bits}, stream, nullptr, stretch.n);
    } else {
        const u8* const entries = tables + (u32(plane.n_tables) << plane.prob_bits);
        const ContextTables table = {tables, reinterpret_cast<const u32*>(entries), plane.prob_bits};
        decode_symbols(table, stream, contexts, stretch.n);
    }
    __syncwarp();
    if (plane.has_escape) block.report(apply_exceptions(plane, stream, contexts, stretch.begin, stretch.n));
}

// Makes the bytes of plane k known for the stretch.
template <u32 kLog2, bool kHasContexts>
__device__ __forceinline__ void read_plane(const Block& block, u32 k, const Stretch& stretch) {
    const Payload& payload = payload_of<kLog2>(block, k);
    PlaneBytes bytes = {nullptr, 0};
    if (payload.storage == kStorageRans) {
        const Plane& plane = block.frame.planes[k];
        decode_plane<kHasContexts>(block, plane, stretch);
        bytes.bytes = stream_of(block.memory, plane).symbols;
    } else if (payload.storage == kStorageRaw) {
        bytes.bytes = block.frame.payload_area + payload.offset + stretch.begin;
    } else {
        bytes.constant = payload.bytes;
    }
    if (lane_number() == 0) block.memory.planes[k] = bytes;
    __syncwarp();
}

// Finds what the stretch takes from outside: its scales and contexts.
template <u32 kLog2, bool kHasInputs, bool kHasScales>
__device__ __forceinline__ void read_inputs(const Block& block, u32 first, u32 n) {
    const Frame& frame = block.frame;
    u8* const scales = bytes_at(block.memory, frame.scales_offset);
    if (kHasScales && frame.n_sections != 0) {
        find_scales<kLog2>(frame, first, n, scales);
        __syncwarp();
    }
    if (kHasInputs && frame.context_input != 0) {
        find_contexts<kLog2>(frame, first, n, scales, bytes_at(block.memory, frame.contexts_offset));
        __syncwarp();
    }
}

template <u32 kLog2, bool kHasInputs, bool kHasScales>
__device__ __forceinline__ void restore_stretch(const Block& block, const Stretch& stretch) {
    const Frame& frame = block.frame;
    WarpMemory& memory = block.memory;
    const u32 first = (block.number << frame.block_log2) + stretch.begin;
    read_inputs<kLog2, kHasInputs, kHasScales>(block, first, stretch.n);
#pragma unroll 1
    for (u32 k = 0; k < Elements<kLog2>::kBytes; ++k) {
        read_plane<kLog2, kHasInputs>(block, k, stretch);
        if (!kHasInputs || k != 0 || !frame.has_low_contexts) continue;
        find_low_contexts(frame.low_context_of_byte, memory.planes[0], stretch.n,
                          bytes_at(memory, frame.low_contexts_offset));
        __syncwarp();
    }
    const u8* predicted = nullptr;
    if (kHasInputs && frame.predictor == kFromPredecessor) predicted = frame.predecessor + (u64(first) << kLog2);
    if (kHasScales && frame.predictor == kFromFactors) predicted = bytes_at(memory, frame.scales_offset);
    join_stretch<kLog2>(frame, memory.planes, predicted, stretch.n, frame.out + (u64(first) << kLog2));
    __syncwarp();
}

template <u32 kLog2, bool kHasInputs, bool kHasScales>
__device__ __forceinline__ void decode_block(const Block& block) {
    if (!open_planes<kLog2>(block)) return;
#pragma unroll 1
    for (u32 begin = 0; begin < count_elements(block); begin += kStretchElements) {
        const Stretch stretch = {begin, min(count_elements(block) - begin, kStretchElements)};
        restore_stretch<kLog2, kHasInputs, kHasScales>(block, stretch);
    }
#pragma unroll 1
    for (u32 k = 0; k < Elements<kLog2>::kBytes; ++k) {
        if (payload_of<kLog2>(block, k).storage != kStorageRans) continue;
        block.report(close_stream(stream_of(block.memory, block.frame.planes[k])));
    }
}

// Copies n bytes, a multiple of 16, into shared memory; by all threads.
__device__ __forceinline__ void copy_to_shared(const void* from, u32 n, uint4* to) {
#pragma unroll 1
    for (u32 i = threadIdx.x; i < n / kVectorBytes; i += blockDim.x) to[i] = static_cast<const uint4*>(from)[i];
}

template <u32 kLog2, bool kHasInputs, bool kHasScales, bool kTablesInShared>
__device__ __forceinline__ void decode_work(const Frame* frames, const Work* work) {
    DYNAMIC_SHARED(shared);
    const Work& here = work[blockIdx.x];
    copy_to_shared(frames + here.frame, sizeof(Frame), shared);
    __syncthreads();
    const Frame& frame = *reinterpret_cast<const Frame*>(shared);
    u8* const tables = reinterpret_cast<u8*>(shared) + sizeof(Frame);
    u8* memory = tables;
    if (kTablesInShared) {
        copy_to_shared(frame.tables, frame.table_bytes, reinterpret_cast<uint4*>(tables));
        memory += frame.table_bytes;
    }
    memory += warp_number() * frame.warp_bytes;
    __syncthreads();
#pragma unroll 1
    for (u32 number = here.first_block + warp_number(); number < here.first_block + here.n_blocks;
         number += blockDim.x / kLanes) {
        const Block block = {frame, *reinterpret_cast<WarpMemory*>(memory), kTablesInShared ? tables : frame.tables,
                             number};
        decode_block<kLog2, kHasInputs, kHasScales>(block);
        __syncwarp();
    }
}
