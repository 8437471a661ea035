// The stored form of a block group while its blocks come in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace weightzip {

// Gives room for n_bytes.
using Allocate = std::function<std::uint8_t*(std::size_t n_bytes)>;

// Recipe and tables, then the block table, then the payloads, in room for all blocks as they are. Blocks that come in
// order are written where they stay; others move there in the end.
class GroupWriter {
public:
    // head is recipe and tables; a block writes n_planes entries and at most block_bytes bytes (a multiple of 16).
    GroupWriter(const std::vector<std::uint8_t>& head, std::size_t n_blocks, std::size_t n_planes,
                std::size_t block_bytes, bool in_order, const Allocate& allocate);

    // Where the block's entries go. Distinct blocks may be written at the same time, unless they come in order.
    std::uint32_t* entries(std::size_t block) noexcept { return &entries_[block * n_planes_]; }
    // Where its payloads go.
    std::uint8_t* place(std::size_t block) noexcept;
    void finish_block(std::size_t block, std::size_t n_bytes) noexcept;

    // Puts everything in its place and returns the size of the group.
    std::size_t finish() noexcept;

private:
    struct Block {
        std::size_t offset = 0;
        std::size_t n_bytes = 0;
    };

    std::size_t n_planes_;
    std::size_t block_bytes_;
    bool in_order_;
    std::size_t head_bytes_;
    std::vector<std::uint32_t> entries_;
    std::vector<Block> blocks_;
    std::size_t end_ = 0;  // of the payloads that came in order
    std::uint8_t* out_;
    std::uint8_t* payloads_;
};

}  // namespace weightzip
