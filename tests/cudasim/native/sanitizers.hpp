// Hooks of ThreadSanitizer, weak: the runtime of the simulator is built without sanitizers and serves every build.
#pragma once

extern "C" {
__attribute__((weak)) void* __tsan_get_current_fiber(void);
__attribute__((weak)) void* __tsan_create_fiber(unsigned);
__attribute__((weak)) void __tsan_destroy_fiber(void*);
__attribute__((weak)) void __tsan_switch_to_fiber(void*, unsigned);
__attribute__((weak)) void __tsan_acquire(void*);
__attribute__((weak)) void __tsan_release(void*);
}

namespace cudasim {

inline bool has_tsan() { return __tsan_create_fiber != nullptr; }

// What one thread did before releasing a place happens before what another does after acquiring it.
inline void tsan_release(void* place) {
    if (has_tsan()) __tsan_release(place);
}
inline void tsan_acquire(void* place) {
    if (has_tsan()) __tsan_acquire(place);
}

}  // namespace cudasim
