// Barriers of a block, and the launch of a grid.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fiber.hpp"
#include "machine.hpp"
#include "sanitizers.hpp"

namespace cudasim {

Machine machine;

namespace {

constexpr std::uint32_t kMaxBlockThreads = 1024;
constexpr std::size_t kMaxSharedBytes = 227 << 10;
constexpr std::size_t kSharedAlignment = 1024;
constexpr unsigned char kPoison = 0xcd;
// ThreadSanitizer gives the number of a destroyed fiber to the next, and has 8128 of them: those of small grids are
// kept until the end, so that races between blocks show.
constexpr std::uint64_t kMaxKeptFibers = 6144;

// What was allocated for blocks whose accesses must stay apart for ThreadSanitizer.
struct Kept {
    std::vector<void*> fibers, shared;
};

void run_thread() {
    machine.kernel(machine.kernel_argument);
    Thread& thread = *machine.self;
    Warp& warp = *thread.warp;
    tsan_release(&machine.main_stack_pointer);
    warp.live &= ~(1u << thread.lane);
    warp.runnable &= ~(1u << thread.lane);
    --machine.live;
    complete_after_exit(warp);
    if (machine.live != 0 && machine.arrived == machine.live) release_barrier();
    static void* abandoned;
    switch_to(&abandoned, machine.live != 0 ? pick_next() : nullptr);
}

void start_threads() {
    const dim3 dim = machine.block_dim;
    const auto n = static_cast<std::uint32_t>(machine.threads.size());
    for (std::uint32_t i = 0; i < n; ++i) {
        Thread& thread = machine.threads[i];
        thread.number = i;
        thread.lane = i % kLanes;
        thread.index = {i % dim.x, i / dim.x % dim.y, i / dim.x / dim.y};
        thread.warp = &machine.warps[i / kLanes];
        thread.stack_pointer = prepare_stack(thread.stack, i, run_thread);
        if (has_tsan()) thread.tsan_fiber = __tsan_create_fiber(0);
    }
    for (std::uint32_t first = 0; first < n; first += kLanes) {
        Warp& warp = machine.warps[first / kLanes] = Warp{};
        const std::uint32_t n_lanes = n - first < kLanes ? n - first : kLanes;
        warp.live = warp.runnable = ~0u >> (kLanes - n_lanes);
        warp.lane0 = &machine.threads[first];
    }
    machine.live = n;
    machine.arrived = machine.predicate_sum = 0;
    machine.barrier_op = Op::none;
}

void run_block(std::size_t shared_bytes, bool keep_fibers, Kept& kept) {
    machine.shared = nullptr;
    if (shared_bytes != 0) {
        // Of the exact size: AddressSanitizer sees its end.
        if (posix_memalign(&machine.shared, kSharedAlignment, shared_bytes) != 0) std::abort();
        std::memset(machine.shared, kPoison, shared_bytes);
    }
    start_threads();
    start_block_schedule();
    switch_to(&machine.main_stack_pointer, pick_next());
    if (!has_tsan()) {
        std::free(machine.shared);
        return;
    }
    for (Thread& thread : machine.threads) {
        if (keep_fibers) kept.fibers.push_back(thread.tsan_fiber);
        else __tsan_destroy_fiber(thread.tsan_fiber);
    }
    kept.shared.push_back(machine.shared);
}

void set_block_threads(std::uint32_t n) {
    static std::vector<char*> stacks;
    while (stacks.size() < n) stacks.push_back(allocate_stack());
    machine.threads.assign(n, Thread{});
    for (std::uint32_t i = 0; i < n; ++i) machine.threads[i].stack = stacks[i];
    machine.warps.assign((n + kLanes - 1) / kLanes, Warp{});
}

}  // namespace

std::uint32_t join_barrier(Op op, bool predicate, std::int32_t line) {
    Thread& thread = *machine.self;
    Warp& warp = *thread.warp;
    if (machine.barrier_op != Op::none && (machine.barrier_op != op || machine.barrier_line != line)) {
        fail("%s at line %d while other threads wait in %s at line %d", name_op(op), line, name_op(machine.barrier_op),
             machine.barrier_line);
    }
    machine.barrier_op = op, machine.barrier_line = line;
    thread.op = op, thread.line = line;
    tsan_release(&machine.barrier_happens_before);
    ++machine.arrived;
    machine.predicate_sum += predicate;
    warp.at_barrier |= 1u << thread.lane;
    warp.runnable &= ~(1u << thread.lane);
    const bool is_last = machine.arrived == machine.live;
    if (is_last) release_barrier();
    if (!is_last || current_schedule() != Schedule::ascending) yield_thread();
    tsan_acquire(&machine.barrier_happens_before);
    return static_cast<std::uint32_t>(warp.results[thread.lane]);
}

void release_barrier() {
    std::uint32_t result = machine.predicate_sum;
    if (machine.barrier_op == Op::barrier_and) result = machine.predicate_sum == machine.arrived;
    if (machine.barrier_op == Op::barrier_or) result = machine.predicate_sum != 0;
    for (Warp& warp : machine.warps) {
        for (std::uint32_t lanes = warp.at_barrier; lanes != 0; lanes &= lanes - 1) {
            warp.results[__builtin_ctz(lanes)] = result;
        }
        warp.runnable |= warp.at_barrier;
        warp.at_barrier = 0;
    }
    machine.arrived = machine.predicate_sum = 0;
    machine.barrier_op = Op::none;
}

bool run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, void (*kernel)(void*), void* argument) {
    clear_failure();
    const std::uint32_t n = block.x * block.y * block.z;
    const std::uint64_t n_blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    if (n == 0 || n > kMaxBlockThreads || n_blocks == 0 || shared_bytes > kMaxSharedBytes) return false;
    set_block_threads(n);
    machine.grid_dim = grid, machine.block_dim = block;
    machine.kernel = kernel, machine.kernel_argument = argument;
    if (has_tsan()) machine.main_tsan_fiber = __tsan_get_current_fiber();
    Kept kept;
    for (std::uint64_t i = 0; i < n_blocks && !machine.has_failed; ++i) {
        const auto x = static_cast<std::uint32_t>(i % grid.x);
        const auto yz = static_cast<std::uint32_t>(i / grid.x);
        machine.block = {x, yz % grid.y, yz / grid.y};
        run_block(shared_bytes, n * n_blocks <= kMaxKeptFibers, kept);
    }
    machine.self = nullptr;
    tsan_acquire(&machine.main_stack_pointer);
    for (void* shared : kept.shared) std::free(shared);
    for (void* fiber : kept.fibers) __tsan_destroy_fiber(fiber);
    return !machine.has_failed;
}

}  // namespace cudasim
