// Exceptions: bytes that were coded with the escape. Each must stand where an escape was decoded, and every escape
// must have one.

__device__ __forceinline__ u32 escape_byte(const Plane& plane, const u8* contexts, u32 i) {
    return plane.escape_bytes[contexts != nullptr ? contexts[i] : 0];
}

// Not 0 if a byte of the word is the one that `repeated` has four times.
__device__ __forceinline__ u32 find_byte(u32 word, u32 repeated) {
    const u32 difference = word ^ repeated;
    return (difference - 0x01010101u) & ~difference & 0x80808080u;
}

// Whether this lane sees an escape among n symbols.
__device__ __forceinline__ bool sees_escape(const Plane& plane, const u8* contexts, u32 n, const u8* symbols) {
    bool sees = false;
    if (contexts == nullptr && n == kStretchElements) {
        const u32 escapes = plane.escape_bytes[0] * 0x01010101u;
        u32 found = 0;
#pragma unroll 2
        for (u32 i = lane_number(); i < kStretchElements / kVectorBytes; i += kLanes) {
            const uint4 four = reinterpret_cast<const uint4*>(symbols)[i];
            found |= find_byte(four.x, escapes) | find_byte(four.y, escapes) | find_byte(four.z, escapes) |
                     find_byte(four.w, escapes);
        }
        return found != 0;
    }
#pragma unroll 1
    for (u32 i = lane_number(); i < n; i += kLanes) sees |= symbols[i] == escape_byte(plane, contexts, i);
    return sees;
}

// Puts the exceptions among n symbols, which begin at element `first` of the block, in place. Returns the faults that
// this lane found. Lanes write what others read.
__device__ __forceinline__ u32 apply_exceptions(const Plane& plane, Stream& stream, const u8* contexts, u32 first,
                                                u32 n) {
    u8* const symbols = stream.symbols;
    const u16* const positions = reinterpret_cast<const u16*>(stream.exceptions);
    const u8* const bytes = stream.exceptions + 2 * stream.n_exceptions;
    const u32 begin = stream.next_exception;
    u32 faults = 0;
    u32 end = begin;
#pragma unroll 1
    for (u32 takers = kAllLanes; takers == kAllLanes; end += __popc(takers)) {
        const u32 e = end + lane_number();
        const bool is_here = e < stream.n_exceptions && positions[e] < first + n;
        takers = __ballot_sync(kAllLanes, is_here);
        if (!is_here) continue;
        const u32 i = positions[e] - first;
        const u32 escape = escape_byte(plane, contexts, i);
        if (symbols[i] != escape) faults |= kFaultNoEscape;
        symbols[i] = u8(escape ^ 1);  // no escape any more, whatever the true byte is
    }
    __syncwarp();
    if (sees_escape(plane, contexts, n, symbols)) faults |= kFaultBareEscape;
    __syncwarp();
#pragma unroll 1
    for (u32 e = begin + lane_number(); e < end; e += kLanes) symbols[positions[e] - first] = bytes[e];
    if (lane_number() == 0) stream.next_exception = end;
    return faults;
}
