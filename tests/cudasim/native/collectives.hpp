// Intrinsics in which threads meet. __activemask() is left out on purpose: its value is a matter of luck on a GPU too.
#pragma once

#include <cstring>
#include <type_traits>

#include "machine.hpp"

namespace cudasim {

template <typename T>
std::uint64_t to_bits(T value) {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

template <typename T>
T from_bits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <typename T>
T shuffle(Op op, std::uint32_t mask, T value, std::int32_t argument, std::int32_t width, std::int32_t line) {
    return from_bits<T>(join_collective(op, mask, to_bits(value), argument, width, line));
}

inline std::uint32_t vote(Op op, std::uint32_t mask, std::uint32_t value, std::int32_t line) {
    return static_cast<std::uint32_t>(join_collective(op, mask, value, 0, 32, line));
}

}  // namespace cudasim

#define CUDASIM_LINE __builtin_LINE()
#define CUDASIM_SHUFFLE(name, op)                                                                               \
    template <typename T>                                                                                       \
    inline T name(std::uint32_t mask, T value, int argument, int width = 32, int line = CUDASIM_LINE) {         \
        return cudasim::shuffle(cudasim::Op::op, mask, value, argument, width, line);                           \
    }
CUDASIM_SHUFFLE(__shfl_sync, shfl)
CUDASIM_SHUFFLE(__shfl_up_sync, shfl_up)
CUDASIM_SHUFFLE(__shfl_down_sync, shfl_down)
CUDASIM_SHUFFLE(__shfl_xor_sync, shfl_xor)

#define CUDASIM_REDUCE(name, op)                                                                                \
    inline std::uint32_t name(std::uint32_t mask, std::uint32_t value, int line = CUDASIM_LINE) {               \
        return cudasim::vote(cudasim::Op::op, mask, value, line);                                               \
    }
CUDASIM_REDUCE(__reduce_add_sync, reduce_add)
CUDASIM_REDUCE(__reduce_min_sync, reduce_min)
CUDASIM_REDUCE(__reduce_max_sync, reduce_max)
CUDASIM_REDUCE(__reduce_and_sync, reduce_and)
CUDASIM_REDUCE(__reduce_or_sync, reduce_or)
CUDASIM_REDUCE(__reduce_xor_sync, reduce_xor)

#define CUDASIM_VOTE(name, op)                                                                                  \
    inline std::uint32_t name(std::uint32_t mask, int predicate, int line = CUDASIM_LINE) {                     \
        return cudasim::vote(cudasim::Op::op, mask, predicate != 0, line);                                      \
    }
CUDASIM_VOTE(__ballot_sync, ballot)
CUDASIM_VOTE(__any_sync, any)
CUDASIM_VOTE(__all_sync, all)

template <typename T>
inline std::uint32_t __match_any_sync(std::uint32_t mask, T value, int line = CUDASIM_LINE) {
    const std::uint64_t bits = cudasim::to_bits(value);
    return static_cast<std::uint32_t>(cudasim::join_collective(cudasim::Op::match_any, mask, bits, 0, 32, line));
}

inline void __syncwarp(std::uint32_t mask = 0xffffffffu, int line = CUDASIM_LINE) {
    cudasim::join_collective(cudasim::Op::syncwarp, mask, 0, 0, 32, line);
}

inline void __syncthreads(int line = CUDASIM_LINE) { cudasim::join_barrier(cudasim::Op::barrier, false, line); }

#define CUDASIM_BARRIER(name, op)                                                                               \
    inline int name(int predicate, int line = CUDASIM_LINE) {                                                   \
        return static_cast<int>(cudasim::join_barrier(cudasim::Op::op, predicate != 0, line));                  \
    }
CUDASIM_BARRIER(__syncthreads_count, barrier_count)
CUDASIM_BARRIER(__syncthreads_and, barrier_and)
CUDASIM_BARRIER(__syncthreads_or, barrier_or)
