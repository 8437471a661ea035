// Stacks, and switching between them without a system call.
#pragma once

#include <cstddef>

namespace cudasim {

inline constexpr std::size_t kStackBytes = 128 << 10;

// Returns the lowest address of a stack; a page that cannot be touched lies below it.
char* allocate_stack();

// Returns the stack pointer of a fiber that will run entry, which must not return. Stacks begin at different sets of
// the cache.
void* prepare_stack(char* stack, unsigned number, void (*entry)());

}  // namespace cudasim

// Saves the callee-saved registers and the stack pointer at *save, and goes on where `to` was saved.
extern "C" void cudasim_switch(void** save, void* to);
