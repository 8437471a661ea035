// Reading a block group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cpu/dispatch.hpp"

namespace weightzip {

// The bytes outside of the group that it leans on.
struct GroupInputs {
    const std::uint8_t* predecessor = nullptr;  // nullptr, or as many bytes as the group restores
    std::span<const std::uint8_t> companion;    // empty if there is none
};

// Decodes a group into raw. Throws CorruptBlocks if the group is not exactly a block group of raw.size() (1 or more)
// bytes that leans on these inputs; raw is then undefined. Whatever the group holds, nothing outside of the ranges is
// read or written.
void decode_group(std::span<const std::uint8_t> group, const GroupInputs& inputs, std::span<std::uint8_t> raw,
                  unsigned n_threads, const KernelSet& kernels);

}  // namespace weightzip
