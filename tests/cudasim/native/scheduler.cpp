#include <cstdio>
#include <map>
#include <string>

#include "fiber.hpp"
#include "machine.hpp"
#include "sanitizers.hpp"

namespace cudasim {
namespace {

Schedule schedule = Schedule::ascending;
std::uint64_t random_state = 1;

std::uint32_t pick_lane(std::uint32_t lanes) {
    if (schedule == Schedule::ascending) return __builtin_ctz(lanes);
    if (schedule == Schedule::descending) return 31 - __builtin_clz(lanes);
    for (std::uint32_t skip = draw_random() % __builtin_popcount(lanes); skip != 0; --skip) lanes &= lanes - 1;
    return __builtin_ctz(lanes);
}

// Groups the threads that wait by what they wait in.
std::string describe_waiting() {
    std::map<std::string, int> counts;
    for (const Thread& thread : machine.threads) {
        if (!(thread.warp->live >> thread.lane & 1)) continue;
        char place[160];
        if (thread.warp->at_barrier >> thread.lane & 1) {
            std::snprintf(place, sizeof place, "%s at line %d", name_op(thread.op), thread.line);
        } else {
            std::snprintf(place, sizeof place, "%s(mask 0x%08x) at line %d in warp %u", name_op(thread.op), thread.mask,
                          thread.line, thread.number / kLanes);
        }
        ++counts[place];
    }
    std::string text;
    for (const auto& [place, count] : counts) text += " [" + std::to_string(count) + " threads wait in " + place + "]";
    return text;
}

}  // namespace

std::uint32_t draw_random() {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return static_cast<std::uint32_t>(random_state >> 32);
}

Schedule current_schedule() { return schedule; }

void start_block_schedule() {
    const auto n = static_cast<std::uint32_t>(machine.warps.size());
    machine.current_warp = 0;
    if (schedule == Schedule::descending) machine.current_warp = n - 1;
    if (schedule == Schedule::random) machine.current_warp = draw_random() % n;
}

// The current warp goes on while it can, then the next in the order of the schedule.
Thread* pick_next() {
    const auto n = static_cast<std::uint32_t>(machine.warps.size());
    if (schedule == Schedule::random && draw_random() % 8 == 0) machine.current_warp = draw_random() % n;
    const std::uint32_t step = schedule == Schedule::descending ? n - 1 : 1;
    std::uint32_t w = machine.current_warp;
    for (std::uint32_t i = 0; i < n; ++i, w = (w + step) % n) {
        Warp& warp = machine.warps[w];
        if (warp.runnable == 0) continue;
        machine.current_warp = w;
        return warp.lane0 + pick_lane(warp.runnable);
    }
    machine.self = nullptr;
    fail("deadlock:%s", describe_waiting().c_str());
}

void switch_to(void** save, Thread* to) {
    machine.self = to;
    constexpr unsigned no_synchronization = 1;
    if (has_tsan()) __tsan_switch_to_fiber(to ? to->tsan_fiber : machine.main_tsan_fiber, no_synchronization);
    cudasim_switch(save, to ? to->stack_pointer : machine.main_stack_pointer);
}

void yield_thread() {
    Thread* const from = machine.self;
    Thread* const to = pick_next();
    if (from != to) switch_to(&from->stack_pointer, to);
}

void maybe_preempt() {
    if (schedule != Schedule::random || draw_random() % 2 == 0) return;
    machine.current_warp = draw_random() % static_cast<std::uint32_t>(machine.warps.size());
    yield_thread();
}

}  // namespace cudasim

extern "C" void cudasim_set_schedule(int number, std::uint64_t seed) {
    cudasim::schedule = static_cast<cudasim::Schedule>(number);
    cudasim::random_state = seed * 0x9e3779b97f4a7c15ull | 1;
}
