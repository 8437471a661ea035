// From a plane's tables to what the encoding kernels look up.
#pragma once

#include <memory>
#include <vector>

#include "block/table.hpp"
#include "kernels/rans_encode.hpp"

namespace weightzip {

class EncodeTables {
public:
    EncodeTables() = default;
    EncodeTables(const std::vector<Table>& tables, unsigned prob_bits);

    EncodeTable view() const noexcept { return {entries_.data(), narrow_.get(), prob_bits_}; }

private:
    std::vector<EncodeEntry> entries_;
    std::unique_ptr<NarrowEncodeTable> narrow_;  // if there is one table, and it is narrow
    unsigned prob_bits_ = 0;
};

}  // namespace weightzip
