// What the simulator must do as CUDA specifies: test_simulator.py says what each kernel shows.
typedef unsigned int u32;

// Two halves in collectives of their own, then all together.
extern "C" __global__ void use_masks(u32* out) {
    const u32 lane = threadIdx.x;
    u32 r;
    if (lane < 16) {
        r = __shfl_xor_sync(0xffffu, lane, 1);
        r += __ballot_sync(0xffffu, lane & 1);
    } else {
        r = __shfl_down_sync(0xffff0000u, lane, 2);
        r = __shfl_up_sync(0xffff0000u, r, 1, 8);
    }
    r += __reduce_add_sync(0xffffffffu, 1u);
    __syncwarp();
    out[lane] = r;
}

// Lanes that have left do not take part.
extern "C" __global__ void leave_early(u32* out) {
    if (threadIdx.x & 1) return;
    out[threadIdx.x] = __ballot_sync(0xffffffffu, 1) + __syncthreads_count(1);
}

// Two dimensions, a partial last warp, barriers, atomics: prefix sums of a block.
extern "C" __global__ void sum_prefixes(u32* out, u32* totals) {
    DYNAMIC_SHARED(shared);
    u32* sums = reinterpret_cast<u32*>(shared);
    const u32 t = threadIdx.y * blockDim.x + threadIdx.x;
    const u32 n = blockDim.x * blockDim.y;
    const u32 block = blockIdx.y * gridDim.x + blockIdx.x;
    sums[t] = t + block;
    __syncthreads();
    for (u32 k = 1; k < n; k <<= 1) {
        const u32 v = t >= k ? sums[t - k] : 0;
        __syncthreads();
        sums[t] += v;
        __syncthreads();
    }
    out[block * n + t] = sums[t];
    atomicAdd(totals, sums[t]);
    atomicMax(totals + 1, sums[t]);
    if (__syncthreads_or(t == 3) && t == 0) atomicAdd(totals + 2, 1u);
}

extern "C" __global__ void wait_for_nobody(u32* out) {
    if (threadIdx.x < 7) __syncwarp(0xff);
    out[threadIdx.x] = 1;
    __syncthreads();
}

extern "C" __global__ void vote_apart(u32* out) {
    if (threadIdx.x < 9) out[threadIdx.x] = __ballot_sync(0xffffffffu, 1);
    else __syncwarp();
}

extern "C" __global__ void leave_out_the_caller(u32* out) { out[threadIdx.x] = __shfl_sync(0xfu, threadIdx.x, 0); }

extern "C" __global__ void read_poison(u32* out) {
    DYNAMIC_SHARED(shared);
    out[threadIdx.x] = shared[threadIdx.x].x;
}

extern "C" __global__ void move_bytes(u32* out) {
    const u32 l = threadIdx.x;
    out[l] = __byte_perm(0x03020100u + l, 0x07060504u, 0x7531u) ^ __funnelshift_l(l, l + 1, l) ^ (__popc(l) << 8);
}
