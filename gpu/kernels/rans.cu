// rANS decoding of a stretch: element i belongs to lane i mod 32 (docs/format.md, "rANS payload").

// A plane with one table.
struct SlotTable {
    const u32* slots;
    u32 prob_bits;

    // The symbol; x is then as before words are read.
    __device__ __forceinline__ u32 decode(u32& x, u32) const {
        const u32 entry = slots[x & ((1u << prob_bits) - 1)];
        const u32 whole = x >> prob_bits;
        x = (entry >> 8 & 0xfff) * whole + whole + (entry >> 20);
        return entry & 255;
    }
};

// A plane with a table for each context.
struct ContextTables {
    const u8* symbols;
    const u32* entries;
    u32 prob_bits;

    __device__ __forceinline__ u32 decode(u32& x, u32 context) const {
        const u32 slot = x & ((1u << prob_bits) - 1);
        const u32 symbol = symbols[context << prob_bits | slot];
        const u32 entry = entries[context * kSymbols + symbol];
        const u32 whole = x >> prob_bits;
        x = (entry & 0xffff) * whole + whole + slot - (entry >> 16);
        return symbol;
    }
};

// Lanes whose state became small take the next words, in the order of the lanes. Every lane loads one. The position is
// in bytes here, which saves an instruction a step.
__device__ __forceinline__ void take_words(u32& x, u32& position_bytes, const u16* ring, bool has_element) {
    const bool needs = has_element && x < kStateFloor;
    const u32 takers = __ballot_sync(kAllLanes, needs);
    const u32 before = __popc(takers & ((1u << lane_number()) - 1));
    const u32 place_bytes = (position_bytes + 2 * before) % (2 * kRingWords);
    const u32 word = *reinterpret_cast<const u16*>(reinterpret_cast<const u8*>(ring) + place_bytes);
    x = needs ? x << 16 | word : x;
    position_bytes += 2 * __popc(takers);
}

// Decodes n symbols (a multiple of 32, but at the end of a block). contexts: of the elements, unless there is one
// table. Lanes write what others read.
template <typename Table>
__device__ __forceinline__ void decode_symbols(const Table& table, Stream& stream, const u8* contexts, u32 n) {
    constexpr u32 unrolled = kLoadWords / kLanes;
    const u32 lane = lane_number();
    u32 x = stream.states[lane];
    u32 position_bytes = 2 * stream.position;
    u32 loaded = stream.loaded;
    u32 i = lane;
#pragma unroll 1
    for (; i + kLoadWords <= n + lane; i += kLoadWords) {
        refill(stream, position_bytes / 2, loaded);
#pragma unroll
        for (u32 step = 0; step < unrolled; ++step) {
            const u32 j = i + step * kLanes;
            stream.symbols[j] = u8(table.decode(x, contexts != nullptr ? contexts[j] : 0));
            take_words(x, position_bytes, stream.ring, true);
        }
    }
#pragma unroll 1
    for (; i < n + lane; i += kLanes) {
        refill(stream, position_bytes / 2, loaded);
        const bool has_element = i < n;
        if (has_element) stream.symbols[i] = u8(table.decode(x, contexts != nullptr ? contexts[i] : 0));
        take_words(x, position_bytes, stream.ring, has_element);
    }
    stream.states[lane] = x;
    __syncwarp();
    if (lane == 0) {
        stream.position = position_bytes / 2;
        stream.loaded = loaded;
    }
}
