// CUDA C++ as far as the kernels use it, for a C++ compiler of the host. Put before a kernel source with -include.
#pragma once

#include "arithmetic.hpp"
#include "atomics.hpp"
#include "collectives.hpp"
#include "launch.hpp"
#include "machine.hpp"
#include "vectors.hpp"

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)

// Shared memory is dynamic only: a block gets an exact, freshly poisoned allocation, so sanitizers see its edges.
#define DYNAMIC_SHARED(name) uint4* name = static_cast<uint4*>(cudasim::machine.shared)

#define threadIdx (cudasim::machine.self->index)
#define blockIdx (cudasim::machine.block)
#define blockDim (cudasim::machine.block_dim)
#define gridDim (cudasim::machine.grid_dim)
