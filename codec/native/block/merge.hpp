// From context keys to few contexts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "block/counts.hpp"

namespace weightzip {

struct ContextMap {
    unsigned n_contexts = 1;
    std::array<std::uint8_t, 256> context_of_key{};
};

// Merges neighbouring keys, cheapest pair first, until there are at most max_contexts contexts and no merge saves
// more table bits than it costs. Only the given planes, all counted by key, have a say. Deterministic: the lower
// of two equal pairs is merged first. Contexts ascend with the keys.
ContextMap merge_contexts(const GroupCounts& counts, const std::vector<std::size_t>& planes, unsigned max_contexts);

}  // namespace weightzip
