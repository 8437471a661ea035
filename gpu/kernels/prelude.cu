// What every kernel file builds on. The files of this folder are one source, joined in the order of source.py: they
// include nothing, so that NVRTC compiles them as they are, and so does a C++ compiler behind the tests' simulator.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef short i16;
typedef int i32;

// The simulator brings its own: there a block has an allocation of exactly the bytes that it asked for.
#ifndef DYNAMIC_SHARED
#define DYNAMIC_SHARED(name) extern __shared__ uint4 name[]
#endif

constexpr u32 kLanes = 32;
constexpr u32 kAllLanes = 0xffffffffu;
constexpr u32 kMaxPlanes = 8;
constexpr u32 kMaxTables = 32;
constexpr u32 kSymbols = 256;

// Bytes that a lane moves at once.
constexpr u32 kVectorBytes = 16;

// Elements that a warp decodes before it joins them: each lane then joins some vectors of neighbouring elements.
constexpr u32 kStretchElements = 2048;

__device__ __forceinline__ u32 lane_number() { return threadIdx.x & (kLanes - 1); }
__device__ __forceinline__ u32 warp_number() { return threadIdx.x / kLanes; }
