#include "block/group_writer.hpp"

#include <cstring>

#include "block/bytes.hpp"

namespace weightzip {

GroupWriter::GroupWriter(const std::vector<std::uint8_t>& head, std::size_t n_blocks, std::size_t n_planes,
                         std::size_t block_bytes, bool in_order, const Allocate& allocate)
    : n_planes_(n_planes),
      block_bytes_(block_bytes),
      in_order_(in_order),
      head_bytes_(head.size()),
      entries_(n_blocks * n_planes),
      blocks_(n_blocks) {
    const std::size_t table_bytes = sizeof(std::uint32_t) * entries_.size();
    out_ = allocate(head_bytes_ + table_bytes + n_blocks * block_bytes);
    payloads_ = out_ + head_bytes_ + table_bytes;
    std::memcpy(out_, head.data(), head_bytes_);
}

std::uint8_t* GroupWriter::place(std::size_t block) noexcept {
    blocks_[block].offset = in_order_ ? align16(end_) : block * block_bytes_;
    return payloads_ + blocks_[block].offset;
}

void GroupWriter::finish_block(std::size_t block, std::size_t n_bytes) noexcept {
    blocks_[block].n_bytes = n_bytes;
    if (in_order_ && n_bytes != 0) end_ = blocks_[block].offset + n_bytes;
}

std::size_t GroupWriter::finish() noexcept {
    std::memcpy(out_ + head_bytes_, entries_.data(), sizeof(std::uint32_t) * entries_.size());
    std::size_t end = 0;
    for (const Block& block : blocks_) {
        if (block.n_bytes == 0) continue;
        const std::size_t begin = align16(end);
        std::memset(payloads_ + end, 0, begin - end);
        if (begin != block.offset) std::memmove(payloads_ + begin, payloads_ + block.offset, block.n_bytes);
        end = begin + block.n_bytes;
    }
    return static_cast<std::size_t>(payloads_ - out_) + end;
}

}  // namespace weightzip
