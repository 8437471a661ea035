// From the arguments of a launch, given as to cuLaunchKernel, to the call of the kernel in every thread.
#pragma once

#include <type_traits>
#include <utility>

#include "machine.hpp"

namespace cudasim {

template <typename... P, std::size_t... I>
void call_kernel(void (*kernel)(P...), void** arguments, std::index_sequence<I...>) {
    kernel(*static_cast<std::remove_cv_t<P>*>(arguments[I])...);
}

template <typename... P>
bool launch(void (*kernel)(P...), dim3 grid, dim3 block, std::size_t shared_bytes, void** arguments) {
    std::pair<void (*)(P...), void**> call{kernel, arguments};
    const auto run = [](void* given) {
        const auto& [called, with] = *static_cast<decltype(call)*>(given);
        call_kernel(called, with, std::index_sequence_for<P...>{});
    };
    return run_grid(grid, block, shared_bytes, run, &call);
}

}  // namespace cudasim

// Exports a kernel as a C function: grid and block are three numbers each; it returns 0 after a failure.
#define CUDASIM_EXPORT(kernel)                                                                                    \
    extern "C" int cudasim_launch_##kernel(const std::uint32_t* grid, const std::uint32_t* block,                \
                                           std::size_t shared_bytes, void** arguments) {                          \
        return cudasim::launch(&kernel, dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2]),      \
                               shared_bytes, arguments);                                                          \
    }
