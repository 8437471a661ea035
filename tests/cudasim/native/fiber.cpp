#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace cudasim {
namespace {

constexpr std::size_t kGuardBytes = 4096;
constexpr std::size_t kColourBytes = 832;
constexpr std::size_t kColoursBytes = 8192;

#if defined(__x86_64__)
asm(R"(
.text
.globl cudasim_switch
.type cudasim_switch,@function
cudasim_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp,(%rdi)
    movq %rsi,%rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size cudasim_switch,.-cudasim_switch
)");

void* fill_stack(char* top, void (*entry)()) {
    void** words = reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
    *--words = nullptr;  // keeps the stack aligned as at a call
    *--words = reinterpret_cast<void*>(entry);
    for (int i = 0; i < 6; ++i) *--words = nullptr;
    return words;
}
#elif defined(__aarch64__)
asm(R"(
.text
.globl cudasim_switch
.type cudasim_switch,%function
cudasim_switch:
    sub sp,sp,#160
    stp x19,x20,[sp]
    stp x21,x22,[sp,#16]
    stp x23,x24,[sp,#32]
    stp x25,x26,[sp,#48]
    stp x27,x28,[sp,#64]
    stp x29,x30,[sp,#80]
    stp d8,d9,[sp,#96]
    stp d10,d11,[sp,#112]
    stp d12,d13,[sp,#128]
    stp d14,d15,[sp,#144]
    mov x9,sp
    str x9,[x0]
    mov sp,x1
    ldp x19,x20,[sp]
    ldp x21,x22,[sp,#16]
    ldp x23,x24,[sp,#32]
    ldp x25,x26,[sp,#48]
    ldp x27,x28,[sp,#64]
    ldp x29,x30,[sp,#80]
    ldp d8,d9,[sp,#96]
    ldp d10,d11,[sp,#112]
    ldp d12,d13,[sp,#128]
    ldp d14,d15,[sp,#144]
    add sp,sp,#160
    ret
.size cudasim_switch,.-cudasim_switch
)");

void* fill_stack(char* top, void (*entry)()) {
    constexpr int kSavedWords = 20;
    constexpr int kReturnAddress = 11;
    void** words = reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15}) - kSavedWords;
    std::memset(words, 0, kSavedWords * sizeof(void*));
    words[kReturnAddress] = reinterpret_cast<void*>(entry);
    return words;
}
#else
#error "cudasim_switch is written for x86-64 and 64-bit Arm"
#endif

}  // namespace

char* allocate_stack() {
    void* pages = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages, kGuardBytes, PROT_NONE) != 0) std::abort();
    return static_cast<char*>(pages) + kGuardBytes;
}

void* prepare_stack(char* stack, unsigned number, void (*entry)()) {
    return fill_stack(stack + kStackBytes - number * kColourBytes % kColoursBytes, entry);
}

}  // namespace cudasim
