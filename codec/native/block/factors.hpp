// The factors of rows and columns that give each element its scale, and their stored form (docs/format.md "Factors").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weightzip {

inline constexpr std::size_t kMaxSections = 4096;
inline constexpr unsigned kMaxMantissaBits = 52;  // of fp64
inline constexpr unsigned kMaxWeight = 16;
inline constexpr unsigned kWeightShift = 4;  // a weight of 16 is one
// In place of a weight: the predecessor's exponent is taken off, so that a scale counts in its last places.
inline constexpr unsigned kMinusExponent = 255;
inline constexpr unsigned kMaxStepLog2 = 8;
inline constexpr std::int32_t kMinFactor = -(1 << 15);
inline constexpr std::int32_t kMaxFactor = (1 << 15) - 1;

// Neighbouring elements of one tensor.
struct Section {
    std::uint32_t n_elements = 0;
    std::uint32_t n_columns = 0;  // 0: neither rows nor columns
    std::uint32_t first_column = 0;

    std::size_t n_rows() const noexcept {
        return n_columns == 0 ? 0 : (std::size_t{first_column} + n_elements + n_columns - 1) / n_columns;
    }
};

struct SectionFactors {
    std::int32_t base = 0;
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
};

struct Factors {
    std::uint8_t mantissa_bits = 0;
    std::uint8_t weight = 0;
    std::uint8_t step_log2 = 0;
    std::vector<Section> sections;
    std::vector<SectionFactors> values;  // of each section
    std::vector<std::size_t> firsts;     // the first element of each section, and the end of the last
};

// Returns what is wrong with mantissa_bits or with sections that are to tile n_elements elements; nullptr if nothing is.
const char* find_fault(unsigned mantissa_bits, std::span<const Section> sections, unsigned element_log2,
                       std::size_t n_elements) noexcept;

// Returns the first element of each section, and the end of the last.
std::vector<std::size_t> find_firsts(std::span<const Section> sections);

void write_factors(std::vector<std::uint8_t>& group, const Factors& factors);

// Reads the factors of n_elements elements and moves bytes past them. Throws CorruptBlocks.
Factors read_factors(std::span<const std::uint8_t>& bytes, unsigned element_log2, std::size_t n_elements);

}  // namespace weightzip
