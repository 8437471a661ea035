#include <cstdarg>
#include <cstdio>

#include "machine.hpp"

namespace cudasim {
namespace {

const char* const kOpNames[] = {
    "?", "__syncwarp", "__ballot_sync", "__any_sync", "__all_sync", "__shfl_sync", "__shfl_up_sync",
    "__shfl_down_sync", "__shfl_xor_sync", "__match_any_sync", "__reduce_add_sync", "__reduce_min_sync",
    "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync", "__syncthreads",
    "__syncthreads_count", "__syncthreads_and", "__syncthreads_or",
};

char message[4096];

}  // namespace

const char* name_op(Op op) { return kOpNames[static_cast<int>(op)]; }

void clear_failure() {
    message[0] = 0;
    machine.has_failed = false;
}

void fail(const char* format, ...) {
    const uint3 block = machine.block;
    int n = std::snprintf(message, sizeof message, "block (%u,%u,%u)", block.x, block.y, block.z);
    if (machine.self != nullptr) {
        n += std::snprintf(message + n, sizeof message - n, " thread %u (warp %u lane %u)", machine.self->number,
                           machine.self->number / kLanes, machine.self->lane);
    }
    n += std::snprintf(message + n, sizeof message - n, ": ");
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message + n, sizeof message - n, format, arguments);
    va_end(arguments);
    machine.has_failed = true;
    static void* abandoned;
    switch_to(&abandoned, nullptr);
    __builtin_unreachable();
}

}  // namespace cudasim

extern "C" const char* cudasim_error() { return cudasim::message; }
