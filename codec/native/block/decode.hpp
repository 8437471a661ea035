// Reading a block group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cpu/dispatch.hpp"

namespace weightzip {

// Decodes a group into raw. predecessor is nullptr or has as many bytes as raw. Throws CorruptBlocks if the group
// is not exactly a block group of raw.size() (1 or more) bytes; raw is then undefined. Whatever the group
// holds, nothing outside the three ranges is read or written.
void decode_group(std::span<const std::uint8_t> group, const std::uint8_t* predecessor, std::span<std::uint8_t> raw,
                  unsigned n_threads, const KernelSet& kernels);

}  // namespace weightzip
