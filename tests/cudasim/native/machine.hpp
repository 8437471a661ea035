// The state of a simulated launch: CUDA threads as fibers of one OS thread, warp by warp, block after block.
// A thread runs until a warp collective, a barrier or its end; what a schedule does in between is its own choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

struct uint3 {
    std::uint32_t x, y, z;
};

struct dim3 {
    std::uint32_t x, y, z;
    constexpr dim3(std::uint32_t a = 1, std::uint32_t b = 1, std::uint32_t c = 1) : x(a), y(b), z(c) {}
};

namespace cudasim {

inline constexpr std::uint32_t kLanes = 32;

// What threads wait for. The order is that of kOpNames in failure.cpp.
enum class Op : std::uint8_t {
    none, syncwarp, ballot, any, all, shfl, shfl_up, shfl_down, shfl_xor, match_any,
    reduce_add, reduce_min, reduce_max, reduce_and, reduce_or, reduce_xor,
    barrier, barrier_count, barrier_and, barrier_or,
};

enum class Schedule { ascending, descending, random };

struct Warp;

struct Thread {
    uint3 index;
    std::uint32_t lane, number;
    Warp* warp;
    void* stack_pointer;
    char* stack;
    void* tsan_fiber;
    // What it waits in:
    std::uint32_t mask;
    std::int32_t width, line;
    Op op;
};

// Sets of lanes are bits of 32.
struct Warp {
    std::uint32_t runnable, live, waiting, at_barrier;
    std::uint32_t mask;  // of the collective that the first waiting lane is in
    Op op;
    bool all_alike;      // whether all waiting lanes are in the same collective
    char happens_before;  // its address is what ThreadSanitizer orders __syncwarp by
    Thread* lane0;
    std::uint64_t values[kLanes], results[kLanes];
    std::int32_t arguments[kLanes];
};

struct Machine {
    Thread* self;
    uint3 block;
    dim3 block_dim, grid_dim;
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    std::uint32_t live, arrived, predicate_sum;
    std::int32_t barrier_line;
    Op barrier_op;
    char barrier_happens_before;
    std::uint32_t current_warp;
    void* shared;
    void* main_stack_pointer;
    void* main_tsan_fiber;
    void (*kernel)(void*);
    void* kernel_argument;
    bool has_failed;
};

extern Machine machine;

// What the intrinsics of cuda.hpp call. `line` is that of the kernel's source.
std::uint64_t join_collective(Op op, std::uint32_t mask, std::uint64_t value, std::int32_t argument,
                              std::int32_t width, std::int32_t line);
std::uint32_t join_barrier(Op op, bool predicate, std::int32_t line);
void maybe_preempt();  // a scheduling point that only the random schedule uses

// Ends the launch with a message that names the running thread. Does not return.
[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
const char* name_op(Op op);
void clear_failure();

// The scheduler.
std::uint32_t draw_random();
Schedule current_schedule();
Thread* pick_next();
void start_block_schedule();
void yield_thread();
void switch_to(void** save, Thread* to);  // nullptr: back to run_grid

// Calls kernel(argument) in every thread of the grid; false after a failure.
bool run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, void (*kernel)(void*), void* argument);

// What happens at the end of a thread: others may have waited for it alone.
void complete_after_exit(Warp& warp);
void release_barrier();

}  // namespace cudasim
