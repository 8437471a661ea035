// Where the decoding of one plane of one block stands between stretches, and how words reach the lanes: 16 bytes a
// load, through a ring in shared memory.

constexpr u32 kLoadWords = 256;  // what eight steps use up at most
constexpr u32 kRingWords = 2 * kLoadWords;
constexpr u32 kWordsInVector = kVectorBytes / 2;
constexpr u32 kStateFloor = 1u << 16;

struct Stream {
    u32 states[kLanes];
    const uint4* words;      // words are counted from here: the last multiple of 16 that is not after the first word
    const u8* exceptions;    // positions, then bytes
    u32 position;            // of the next word
    u32 loaded;              // words up to here have been in the ring
    u32 end;
    u32 n_exceptions;
    u32 next_exception;
    u32 reserved[3];
    u16 ring[kRingWords];          // at a multiple of 16, as are the symbols
    u8 symbols[kStretchElements];  // of the stretch, once it is decoded
};

// Loads kLoadWords words from word `loaded` on over the oldest in the ring. Words from `end` on are not loaded.
__device__ __forceinline__ void load_words(Stream& stream, u32 loaded) {
    const u32 vector = loaded / kWordsInVector + lane_number();
    if (vector * kWordsInVector >= stream.end) return;
    uint4* const ring = reinterpret_cast<uint4*>(stream.ring);
    ring[vector % (kRingWords / kWordsInVector)] = __ldcs(stream.words + vector);
}

// Sees to it that the next kLoadWords words are in the ring. The warp calls it together.
__device__ __forceinline__ void refill(Stream& stream, u32 position, u32& loaded) {
    if (loaded - position >= kLoadWords) return;
    __syncwarp();
    load_words(stream, loaded);
    loaded += kLoadWords;
    __syncwarp();
}

// Checks the exceptions at the front of a payload: how many bytes they take, 0 after a fault. Room for their number
// was found on the host.
__device__ __forceinline__ u32 open_exceptions(const u8* from, u32 n_bytes, u32 n_elements, u32& faults) {
    const u32 n = *reinterpret_cast<const u32*>(from);
    if (n > n_elements) faults |= kFaultExceptionCount;
    else if (sizeof(u32) + 3 * n + n % 2 > n_bytes) faults |= kFaultExceptionsCut;
    if (faults != 0) return 0;
    const u16* positions = reinterpret_cast<const u16*>(from + sizeof(u32));
    for (u32 e = lane_number(); e < n; e += kLanes) {
        if (e != 0 && positions[e] <= positions[e - 1]) faults |= kFaultExceptionOrder;
        if (positions[e] >= n_elements) faults |= kFaultExceptionBeyond;
    }
    if (n % 2 == 1 && from[sizeof(u32) + 3 * n] != 0) faults |= kFaultExceptionPadding;
    return sizeof(u32) + 3 * n + n % 2;
}

// Opens the payload of a plane in storage rANS, at least 128 bytes (132 with exceptions) that begin at a multiple of
// 16. Returns the faults that any lane found; after one the stream cannot be decoded.
__device__ __forceinline__ u32 open_stream(const u8* payload, u32 n_bytes, bool has_escape, u32 n_elements,
                                           Stream& stream) {
    const u32 state = reinterpret_cast<const u32*>(payload)[lane_number()];
    u32 faults = state < kStateFloor ? kFaultState : 0;
    const u8* const exceptions = payload + sizeof(stream.states);
    const u8* const payload_end = payload + n_bytes;
    const u8* first = exceptions;
    if (has_escape) first += open_exceptions(exceptions, u32(payload_end - exceptions), n_elements, faults);
    if ((payload_end - first) % 2 != 0) faults |= kFaultHalfWord;
    faults = __reduce_or_sync(kAllLanes, faults);
    if (faults != 0) return faults;
    const u32 n_before = u32(first - payload) % kVectorBytes;
    const uint4* const words = reinterpret_cast<const uint4*>(first - n_before);
    const u32 position = n_before / 2;
    const u32 end = position + u32(payload_end - first) / 2;
    stream.states[lane_number()] = state;
    if (lane_number() == 0) {
        stream.words = words;
        stream.exceptions = exceptions + sizeof(u32);
        stream.position = position;
        stream.loaded = kRingWords;
        stream.end = end;
        stream.n_exceptions = has_escape ? *reinterpret_cast<const u32*>(exceptions) : 0;
        stream.next_exception = 0;
    }
    __syncwarp();
    for (u32 loaded = 0; loaded < kRingWords; loaded += kLoadWords) load_words(stream, loaded);
    __syncwarp();
    return 0;
}

// The faults of a stream that has been decoded to its end, as this lane sees them.
__device__ __forceinline__ u32 close_stream(const Stream& stream) {
    u32 faults = 0;
    if (stream.position > stream.end) faults |= kFaultFewWords;
    if (stream.position < stream.end) faults |= kFaultManyWords;
    if (stream.states[lane_number()] != kStateFloor) faults |= kFaultEndState;
    return faults;
}
