// Writing a block group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "block/elements.hpp"

namespace weightzip {

// A block group, still in the parts that its workers made.
struct EncodedGroup {
    std::vector<std::uint8_t> head;        // recipe, tables, block table
    std::unique_ptr<std::uint8_t[]> area;  // a stretch of slot_bytes for each block
    std::size_t slot_bytes = 0;            // a multiple of 16
    std::vector<std::size_t> block_bytes;  // the payloads of each block, from the start of its stretch

    std::size_t size() const noexcept;
    // Writes the group to size() writable bytes.
    void copy_to(std::uint8_t* out) const noexcept;
};

// Encodes 1 or more elements; factors are fitted here. The result depends on elements, max_contexts and key_shift alone.
EncodedGroup encode_group(const Elements& all, const EncodeOptions& options);

// Estimates encode_group(...).size() from a sample.
std::size_t estimate_group(const Elements& all, const EncodeOptions& options);

}  // namespace weightzip
