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
    // Makes room for n_tables tables of prob_bits.
    void open(std::size_t n_tables, unsigned prob_bits);

    // Appends the table of the next context.
    void add(const Table& table);

    DecodeTable view() const noexcept { return {entries_.get(), narrow_.get(), prob_bits_}; }
    bool has_escape() const noexcept { return has_escape_; }

    // The byte to which the escape of a context decodes (no symbol of that context does), or kNoEscape.
    std::uint16_t escape_byte(std::size_t context) const noexcept { return escape_bytes_[context]; }

private:
    std::unique_ptr<std::uint32_t[]> entries_;
    std::vector<std::uint16_t> escape_bytes_;
    std::unique_ptr<NarrowTable> narrow_;  // if there is one table, and it is narrow
    unsigned prob_bits_ = 0;
    bool has_escape_ = false;
};

}  // namespace weightzip
