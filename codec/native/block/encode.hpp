// Writing a block group.
#pragma once

#include <cstddef>

#include "block/elements.hpp"
#include "block/group_writer.hpp"

namespace weightzip {

// Encodes 1 or more elements; factors are fitted here. The result depends on elements, max_contexts and key_shift alone.
// allocate is called once, on this thread; the group begins where that room does. Returns the size of the group.
std::size_t encode_group(const Elements& all, const EncodeOptions& options, const Allocate& allocate);

// Estimates the size of the group from a sample.
std::size_t estimate_group(const Elements& all, const EncodeOptions& options);

}  // namespace weightzip
