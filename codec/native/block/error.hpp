// The one error of reading a block group.
#pragma once

#include <stdexcept>

namespace weightzip {

// The group contradicts docs/format.md. The message says what is wrong, not where the group came from.
class CorruptBlocks : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Throws CorruptBlocks unless the group fulfils what the message says it must.
inline void require(bool holds, const char* otherwise) {
    if (!holds) throw CorruptBlocks(otherwise);
}

}  // namespace weightzip
