// Collectives of a warp: they complete when every live lane of the mask has come, as CUDA specifies.
#include "machine.hpp"
#include "sanitizers.hpp"

namespace cudasim {
namespace {

constexpr std::uint64_t kUndefined = 0xdeadbeefdeadbeefull;

template <typename Use>
void for_each_lane(std::uint32_t lanes, Use use) {
    for (; lanes != 0; lanes &= lanes - 1) use(static_cast<std::uint32_t>(__builtin_ctz(lanes)));
}

// The lane that lane l reads, perhaps one that takes no part.
std::uint32_t find_source_lane(Op op, std::uint32_t l, std::int32_t width, std::int32_t argument) {
    const auto lane = static_cast<std::int32_t>(l);
    const std::int32_t base = lane & ~(width - 1);
    std::int32_t source = lane;
    if (op == Op::shfl) source = base | (argument & (width - 1));
    if (op == Op::shfl_up) source = lane - argument < base ? lane : lane - argument;
    if (op == Op::shfl_down) source = lane + argument >= base + width ? lane : lane + argument;
    if (op == Op::shfl_xor) source = (lane ^ argument) >= base + width ? lane : lane ^ argument;
    return static_cast<std::uint32_t>(source) & 31;
}

void shuffle(Warp& warp, std::uint32_t lanes, Op op) {
    for_each_lane(lanes, [&](std::uint32_t l) {
        const std::uint32_t source = find_source_lane(op, l, warp.lane0[l].width, warp.arguments[l]);
        warp.results[l] = lanes >> source & 1 ? warp.values[source] : kUndefined;
    });
}

void match(Warp& warp, std::uint32_t lanes) {
    for_each_lane(lanes, [&](std::uint32_t l) {
        std::uint64_t same = 0;
        for_each_lane(lanes, [&](std::uint32_t k) { same |= std::uint64_t{warp.values[k] == warp.values[l]} << k; });
        warp.results[l] = same;
    });
}

std::uint32_t combine(Op op, std::uint32_t a, std::uint32_t b) {
    switch (op) {
        case Op::reduce_add: return a + b;
        case Op::reduce_min: return a < b ? a : b;
        case Op::reduce_max: return a > b ? a : b;
        case Op::reduce_and: case Op::all: return a & b;
        case Op::reduce_xor: return a ^ b;
        default: return a | b;
    }
}

// Every lane gets the same.
void reduce(Warp& warp, std::uint32_t lanes, Op op) {
    auto result = static_cast<std::uint32_t>(warp.values[__builtin_ctz(lanes)]);
    for_each_lane(lanes & (lanes - 1), [&](std::uint32_t l) {
        result = combine(op, result, static_cast<std::uint32_t>(warp.values[l]));
    });
    for_each_lane(lanes, [&](std::uint32_t l) { warp.results[l] = result; });
}

void vote(Warp& warp, std::uint32_t lanes) {
    std::uint64_t votes = 0;
    for_each_lane(lanes, [&](std::uint32_t l) { votes |= warp.values[l] << l; });
    for_each_lane(lanes, [&](std::uint32_t l) { warp.results[l] = votes; });
}

void complete(Warp& warp, std::uint32_t lanes, Op op) {
    switch (op) {
        case Op::syncwarp: break;
        case Op::ballot: vote(warp, lanes); break;
        case Op::match_any: match(warp, lanes); break;
        case Op::shfl: case Op::shfl_up: case Op::shfl_down: case Op::shfl_xor: shuffle(warp, lanes, op); break;
        default: reduce(warp, lanes, op);
    }
    warp.waiting &= ~lanes;
    warp.runnable |= lanes;
}

// Whether the waiting lanes are all in this collective. Lanes with the same mask in another one will never meet.
bool are_together(const Warp& warp, std::uint32_t lanes, std::uint32_t mask, Op op) {
    if (warp.all_alike && warp.mask == mask && warp.op == op) return true;
    for (; lanes != 0; lanes &= lanes - 1) {
        const Thread& thread = warp.lane0[__builtin_ctz(lanes)];
        if (thread.mask != mask) return false;
        if (thread.op != op) {
            fail("warp diverged: %s at line %d, but lane %u is in %s at line %d (mask 0x%08x)", name_op(op),
                 machine.self->line, thread.lane, name_op(thread.op), thread.line, mask);
        }
    }
    return true;
}

bool try_complete(Warp& warp, std::uint32_t mask, Op op) {
    const std::uint32_t lanes = mask & warp.live;
    if (lanes == 0 || (warp.waiting & lanes) != lanes || !are_together(warp, lanes, mask, op)) return false;
    complete(warp, lanes, op);
    return true;
}

}  // namespace

std::uint64_t join_collective(Op op, std::uint32_t mask, std::uint64_t value, std::int32_t argument,
                              std::int32_t width, std::int32_t line) {
    Thread& thread = *machine.self;
    Warp& warp = *thread.warp;
    const std::uint32_t lane = thread.lane;
    const std::uint32_t bit = 1u << lane;
    if (!(mask & bit)) fail("%s at line %d: mask 0x%08x leaves out the calling lane", name_op(op), line, mask);
    thread.op = op, thread.mask = mask, thread.width = width, thread.line = line;
    warp.values[lane] = value, warp.arguments[lane] = argument;
    // Votes and shuffles order no memory.
    if (op == Op::syncwarp) tsan_release(&warp.happens_before);
    if (warp.waiting == 0) warp.mask = mask, warp.op = op, warp.all_alike = true;
    else if (warp.mask != mask || warp.op != op) warp.all_alike = false;
    warp.waiting |= bit;
    warp.runnable &= ~bit;
    if (!try_complete(warp, mask, op) || current_schedule() != Schedule::ascending) yield_thread();
    if (op == Op::syncwarp) tsan_acquire(&warp.happens_before);
    return warp.results[lane];
}

void complete_after_exit(Warp& warp) {
    for (std::uint32_t lanes = warp.waiting; lanes != 0; lanes &= lanes - 1) {
        const Thread& thread = warp.lane0[__builtin_ctz(lanes)];
        if (warp.waiting >> thread.lane & 1) try_complete(warp, thread.mask, thread.op);
    }
}

}  // namespace cudasim
