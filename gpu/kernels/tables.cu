// Tables, expanded so that a slot is looked up in one step or two.
//
// A plane with one table: an entry a slot, symbol [7:0] | frequency - 1 [19:8] | slot - start [31:20].
// A plane with a table for each context: per table a symbol of each slot, a byte; then per table an entry of each
// symbol, frequency - 1 [15:0] | start [31:16]. That is a quarter of the memory, which matters with 32 tables.

__device__ __forceinline__ u32 pack_slot(u32 symbol, u32 frequency, u32 start, u32 slot) {
    return symbol | (frequency - 1) << 8 | (slot - start) << 20;
}

__device__ __forceinline__ u32 pack_symbol(u32 frequency, u32 start) { return (frequency - 1) | start << 16; }

// Exclusive prefix sums of 257 frequencies, into 258 words; by one warp.
__device__ __forceinline__ void sum_frequencies(const u16* frequencies, u32* starts) {
    constexpr u32 each = kSymbols / kLanes;
    const u32 lane = lane_number();
    u32 sum = 0;
    for (u32 i = 0; i < each; ++i) sum += frequencies[lane * each + i];
    u32 inclusive = sum;
    for (u32 distance = 1; distance < kLanes; distance *= 2) {
        const u32 before = __shfl_up_sync(kAllLanes, inclusive, distance);
        if (lane >= distance) inclusive += before;
    }
    u32 start = inclusive - sum;
    for (u32 i = 0; i < each; ++i) {
        starts[lane * each + i] = start;
        start += frequencies[lane * each + i];
    }
    if (lane == kLanes - 1) {
        starts[kSymbols] = start;
        starts[kSymbols + 1] = start + frequencies[kSymbols];
    }
}

// The symbol whose slots hold this one: the last that starts at or before it and is not empty.
__device__ __forceinline__ u32 find_symbol(const u32* starts, u32 slot) {
    u32 first = 0;
    for (u32 n = kSymbols + 1; n > 1;) {
        const u32 half = n / 2;
        if (starts[first + half] <= slot) first += half, n -= half;
        else n = half;
    }
    return first;
}

// One block of 32 threads a table.
extern "C" __global__ void __launch_bounds__(32) expand_tables(const TableJob* jobs) {
    DYNAMIC_SHARED(shared);
    u32* starts = reinterpret_cast<u32*>(shared);
    const TableJob& job = jobs[blockIdx.x];
    sum_frequencies(job.frequencies, starts);
    __syncwarp();
    const u32 n_slots = 1u << job.prob_bits;
    u8* symbols = job.plane + job.number * n_slots;
    u32* entries = reinterpret_cast<u32*>(job.plane + job.n_tables * n_slots) + job.number * kSymbols;
    for (u32 slot = lane_number(); slot < n_slots; slot += kLanes) {
        const u32 found = find_symbol(starts, slot);
        const u32 start = starts[found];
        const u32 frequency = starts[found + 1] - start;
        const u32 symbol = found == kSymbols ? job.escape_byte : found;
        if (job.by_context) {
            symbols[slot] = u8(symbol);
            if (slot == start) entries[symbol] = pack_symbol(frequency, start);
        } else {
            reinterpret_cast<u32*>(job.plane)[slot] = pack_slot(symbol, frequency, start, slot);
        }
    }
}
