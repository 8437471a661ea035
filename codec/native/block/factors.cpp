#include "block/factors.hpp"

#include "block/bit_stream.hpp"
#include "block/bytes.hpp"

namespace weightzip {
namespace {

constexpr const char* kTooShort = "the factors end too early";
constexpr unsigned kBaseBits = 32;
constexpr unsigned kOrderBits = 4;
constexpr std::size_t kSectionBytes = 12;
// The largest zigzag of a factor has 16 bits; with 2^15 added, for the largest order, it has 17.
constexpr unsigned kMaxFactorDigits = 17;

std::uint32_t zigzag(std::int32_t factor) noexcept {
    return static_cast<std::uint32_t>(factor << 1) ^ static_cast<std::uint32_t>(factor >> 31);
}

std::int32_t unzigzag(std::uint32_t code) noexcept {
    return static_cast<std::int32_t>(code >> 1) ^ -static_cast<std::int32_t>(code & 1);
}

unsigned best_order(const std::vector<std::int32_t>& factors) noexcept {
    unsigned best = 0;
    std::uint64_t best_bits = ~std::uint64_t{0};
    for (unsigned order = 0; order < 1u << kOrderBits; ++order) {
        std::uint64_t bits = 0;
        for (const std::int32_t factor : factors) bits += exp_golomb_bits(zigzag(factor), order);
        if (bits < best_bits) best = order, best_bits = bits;
    }
    return best;
}

void write_values(BitWriter& writer, const std::vector<std::int32_t>& factors) {
    const unsigned order = best_order(factors);
    writer.put(order, kOrderBits);
    for (const std::int32_t factor : factors) writer.put_exp_golomb(zigzag(factor), order);
}

std::vector<std::int32_t> read_values(BitReader& reader, std::size_t n) {
    const unsigned order = reader.take(kOrderBits);
    // Every code has at least one bit.
    require(n <= reader.bits_left(), kTooShort);
    std::vector<std::int32_t> factors(n);
    for (std::int32_t& factor : factors) {
        const std::uint32_t code = reader.take_exp_golomb(order, kMaxFactorDigits);
        require(code <= zigzag(kMinFactor), "a factor is out of range");
        factor = unzigzag(code);
    }
    return factors;
}

std::vector<Section> read_sections(std::span<const std::uint8_t>& bytes) {
    const std::size_t n_sections = load_u16(take_bytes(bytes, 2, kTooShort).data());
    const auto fields = take_bytes(bytes, kSectionBytes * n_sections, kTooShort);
    std::vector<Section> sections(n_sections);
    for (std::size_t s = 0; s < n_sections; ++s) {
        const std::uint8_t* section = fields.data() + kSectionBytes * s;
        sections[s] = {load_u32(section), load_u32(section + 4), load_u32(section + 8)};
    }
    return sections;
}

}  // namespace

const char* find_fault(unsigned mantissa_bits, std::span<const Section> sections, unsigned element_log2,
                       std::size_t n_elements) noexcept {
    const unsigned magnitude_bits = (8u << element_log2) - 1;
    if (mantissa_bits < 1 || mantissa_bits > kMaxMantissaBits) return "mantissa_bits is not 1 to 52";
    if (mantissa_bits >= magnitude_bits || magnitude_bits - mantissa_bits > 11) {
        return "mantissa_bits does not leave an exponent of 1 to 11 bits";
    }
    if (sections.empty() || sections.size() > kMaxSections) return "there are not 1 to 4096 sections";
    std::size_t n_left = n_elements;
    for (const Section& section : sections) {
        if (section.n_elements == 0) return "a section has no elements";
        if (section.n_elements > n_left) return "the sections have more elements than there are";
        if (section.n_columns > section.n_elements) return "a section has more columns than elements";
        if (section.first_column >= section.n_columns && section.first_column != 0) {
            return "the first column of a section is out of range";
        }
        n_left -= section.n_elements;
    }
    return n_left == 0 ? nullptr : "the sections have fewer elements than there are";
}

std::vector<std::size_t> find_firsts(std::span<const Section> sections) {
    std::vector<std::size_t> firsts{0};
    for (const Section& section : sections) firsts.push_back(firsts.back() + section.n_elements);
    return firsts;
}

void write_factors(std::vector<std::uint8_t>& group, const Factors& factors) {
    append(group, factors.mantissa_bits);
    append(group, factors.weight);
    append(group, factors.step_log2);
    append(group, static_cast<std::uint16_t>(factors.sections.size()));
    BitWriter writer;
    for (std::size_t s = 0; s < factors.sections.size(); ++s) {
        const Section& section = factors.sections[s];
        append(group, section.n_elements);
        append(group, section.n_columns);
        append(group, section.first_column);
        writer.put(static_cast<std::uint32_t>(factors.values[s].base), kBaseBits);
        if (section.n_columns == 0) continue;
        write_values(writer, factors.values[s].rows);
        write_values(writer, factors.values[s].columns);
    }
    const std::vector<std::uint8_t> bits = writer.finish();
    append(group, static_cast<std::uint32_t>(bits.size()));
    group.insert(group.end(), bits.begin(), bits.end());
}

Factors read_factors(std::span<const std::uint8_t>& bytes, unsigned element_log2, std::size_t n_elements) {
    const auto fixed = take_bytes(bytes, 3, kTooShort);
    Factors factors{fixed[0], fixed[1], fixed[2], read_sections(bytes), {}, {}};
    require(factors.weight <= kMaxWeight || factors.weight == kMinusExponent, "a weight is reserved");
    require(factors.step_log2 <= kMaxStepLog2, "step_log2 is above 8");
    const char* fault = find_fault(factors.mantissa_bits, factors.sections, element_log2, n_elements);
    require(fault == nullptr, fault);
    factors.firsts = find_firsts(factors.sections);
    const std::uint32_t factor_bytes = load_u32(take_bytes(bytes, 4, kTooShort).data());
    BitReader reader(take_bytes(bytes, factor_bytes, kTooShort));
    for (const Section& section : factors.sections) {
        SectionFactors values{static_cast<std::int32_t>(reader.take(kBaseBits)), {}, {}};
        if (section.n_columns > 0) {
            values.rows = read_values(reader, section.n_rows());
            values.columns = read_values(reader, section.n_columns);
        }
        factors.values.push_back(std::move(values));
    }
    reader.finish();
    return factors;
}

}  // namespace weightzip
