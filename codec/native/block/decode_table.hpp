// From a plane's tables to what the decoding kernels look up.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "block/table.hpp"
#include "kernels/rans_decode.hpp"

namespace weightzip {

inline constexpr std::uint16_t kNoEscape = 256;

class PlaneTables {
public:
    // Appends the table of the next context. All have the same prob_bits.
    void add(const Table& table, unsigned prob_bits);

    DecodeTable view() const noexcept { return {entries_.data(), narrow_.get(), prob_bits_}; }
    bool has_escape() const noexcept { return has_escape_; }

    // The byte to which the escape of a context decodes (no symbol of that context does), or kNoEscape.
    std::uint16_t escape_byte(std::size_t context) const noexcept { return escape_bytes_[context]; }

private:
    std::vector<std::uint32_t> entries_;
    std::vector<std::uint16_t> escape_bytes_;
    std::unique_ptr<NarrowTable> narrow_;  // if there is one table, and it is narrow
    unsigned prob_bits_ = 0;
    bool has_escape_ = false;
};

}  // namespace weightzip
