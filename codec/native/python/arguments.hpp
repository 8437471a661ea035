// The arguments of encode_blocks and estimate_blocks, checked.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "block/encode.hpp"
#include "python/buffer.hpp"

namespace weightzip {

inline constexpr std::size_t kMaxRawBytes = std::size_t{1} << 31;

using SectionTuples = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>;

// Raises ValueError unless the arguments fulfil what the message says they must.
inline void check(bool holds, const char* otherwise) {
    if (!holds) throw nanobind::value_error(otherwise);
}

// None stands for nothing.
inline std::optional<PythonBuffer> hold_if_given(nanobind::handle object) {
    if (object.is_none()) return std::nullopt;
    return std::optional<PythonBuffer>(std::in_place, object, false);
}

// What the caller wants the recipe to be.
struct RecipeWishes {
    unsigned element_bytes;
    unsigned transform;
    unsigned predictor;
    unsigned context_input;
    unsigned companion_bytes;
    unsigned max_contexts;
    unsigned max_low_contexts;
    unsigned key_shift;
    unsigned mantissa_bits;
    const SectionTuples& sections;
};

class EncodeArguments {
public:
    // Raises ValueError. Holds the buffers.
    EncodeArguments(nanobind::handle raw, nanobind::handle predecessor, nanobind::handle companion,
                    const RecipeWishes& wishes);

    const Elements& elements() const noexcept { return elements_; }
    EncodeOptions options(unsigned n_threads, const KernelSet& kernels) const noexcept {
        return {max_contexts_, max_low_contexts_, key_shift_, n_threads, &kernels};
    }

private:
    void check_recipe(const RecipeWishes& wishes) const;
    void check_inputs(const RecipeWishes& wishes) const;
    void set_factors(const RecipeWishes& wishes);

    PythonBuffer raw_;
    std::optional<PythonBuffer> predecessor_;
    std::optional<PythonBuffer> companion_;
    std::vector<Section> sections_;
    Elements elements_;
    unsigned max_contexts_;
    unsigned max_low_contexts_;
    std::uint8_t key_shift_;
};

}  // namespace weightzip
