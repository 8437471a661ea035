// Atomic operations and fences. Each is a place where the random schedule may turn to another thread.
#pragma once

#include "machine.hpp"

#define CUDASIM_ATOMIC(name, builtin)                            \
    template <typename T>                                        \
    inline T name(T* place, T value) {                           \
        cudasim::maybe_preempt();                                \
        return builtin(place, value, __ATOMIC_RELAXED);          \
    }
CUDASIM_ATOMIC(atomicAdd, __atomic_fetch_add)
CUDASIM_ATOMIC(atomicAnd, __atomic_fetch_and)
CUDASIM_ATOMIC(atomicOr, __atomic_fetch_or)
CUDASIM_ATOMIC(atomicXor, __atomic_fetch_xor)
CUDASIM_ATOMIC(atomicExch, __atomic_exchange_n)

template <typename T>
inline T atomicCAS(T* place, T expected, T value) {
    cudasim::maybe_preempt();
    __atomic_compare_exchange_n(place, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

namespace cudasim {

template <typename T, typename Change>
T change_atomically(T* place, Change change) {
    maybe_preempt();
    T old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(place, &old, change(old), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}

}  // namespace cudasim

template <typename T>
inline T atomicMin(T* place, T value) {
    return cudasim::change_atomically(place, [value](T old) { return value < old ? value : old; });
}

template <typename T>
inline T atomicMax(T* place, T value) {
    return cudasim::change_atomically(place, [value](T old) { return old < value ? value : old; });
}

inline void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    cudasim::maybe_preempt();
}
inline void __threadfence_block() { __threadfence(); }
