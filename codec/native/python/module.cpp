// The Python module weightzip.codec._native: argument checks, buffers, and the release of the interpreter lock.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "block/decode.hpp"
#include "block/encode.hpp"
#include "block/error.hpp"
#include "python/arguments.hpp"
#include "python/buffer.hpp"
#include "python/roomy_bytes.hpp"

namespace nb = nanobind;

namespace weightzip {
namespace {

const KernelSet& find_kernels(const std::string& name) {
    if (name == "auto") return best_kernels();
    for (const KernelSet* kernels : list_kernels()) {
        if (name == kernels->name) return *kernels;
    }
    throw nb::value_error("kernels must be \"auto\" or one of list_kernels()");
}

nb::bytes encode_blocks(nb::handle raw, nb::handle predecessor, nb::handle companion, const RecipeWishes& wishes,
                        unsigned n_threads, const std::string& kernels) {
    const EncodeArguments arguments(raw, predecessor, companion, wishes);
    const EncodeOptions options = arguments.options(n_threads, find_kernels(kernels));
    RoomyBytes result;
    std::size_t n_bytes = 0;
    {
        const nb::gil_scoped_release release;
        const auto allocate = [&](std::size_t room_bytes) { return result.allocate(room_bytes); };
        n_bytes = encode_group(arguments.elements(), options, allocate);
    }
    return result.take(n_bytes);
}

std::size_t estimate_blocks(nb::handle raw, nb::handle predecessor, nb::handle companion, const RecipeWishes& wishes) {
    const EncodeArguments arguments(raw, predecessor, companion, wishes);
    const EncodeOptions options = arguments.options(1, best_kernels());
    const nb::gil_scoped_release release;
    return estimate_group(arguments.elements(), options);
}

void decode_blocks(nb::handle group, nb::handle predecessor, nb::handle companion, nb::handle out, unsigned n_threads,
                   const std::string& kernels) {
    const PythonBuffer group_buffer(group, false);
    const PythonBuffer out_buffer(out, true);
    check(!out_buffer.bytes().empty(), "out is empty");
    check(out_buffer.bytes().size() < kMaxRawBytes, "out must be shorter than 2 GiB");
    const std::optional<PythonBuffer> predecessor_buffer = hold_if_given(predecessor);
    check(!predecessor_buffer || predecessor_buffer->bytes().size() == out_buffer.bytes().size(),
          "predecessor must be as long as out");
    const std::optional<PythonBuffer> companion_buffer = hold_if_given(companion);
    check(!companion_buffer || !companion_buffer->bytes().empty(), "companion is empty");
    GroupInputs inputs;
    if (predecessor_buffer) inputs.predecessor = predecessor_buffer->bytes().data();
    if (companion_buffer) inputs.companion = companion_buffer->bytes();
    const KernelSet& kernel_set = find_kernels(kernels);
    const nb::gil_scoped_release release;
    decode_group(group_buffer.bytes(), inputs, out_buffer.bytes(), n_threads, kernel_set);
}

void derive(nb::handle companion, nb::handle out, unsigned derivation) {
    const PythonBuffer companion_buffer(companion, false);
    const PythonBuffer out_buffer(out, true);
    check(derivation < kDerivations, "derivation must be 0 to 3");
    const std::size_t n_elements = out_buffer.bytes().size() / 2;
    check(out_buffer.bytes().size() == 2 * n_elements, "out must be whole elements of 2 bytes");
    check(companion_buffer.bytes().size() == 4 * n_elements, "companion must be twice as long as out");
    const nb::gil_scoped_release release;
    best_kernels().elementwise->derive[derivation](companion_buffer.bytes().data(), out_buffer.bytes().data(),
                                                   n_elements);
}

std::vector<std::string> cpu_features() {
    const auto features = best_kernels().features;
    return {features.begin(), features.end()};
}

std::vector<std::string> list_kernel_names() {
    std::vector<std::string> names;
    for (const KernelSet* kernels : list_kernels()) names.emplace_back(kernels->name);
    return names;
}

}  // namespace
}  // namespace weightzip

NB_MODULE(_native, m) {
    using namespace nb::literals;
    using weightzip::SectionTuples;
    m.doc() = "Block groups in C++: docs/format.md, \"Block group\". Every call releases the interpreter lock.";
    nb::exception<weightzip::CorruptBlocks>(m, "CorruptBlocks", PyExc_ValueError).doc() =
        "The body contradicts docs/format.md. The message says what is wrong, not where.";
    m.def(
        "encode_blocks",
        [](nb::handle raw, nb::handle predecessor, nb::handle companion, unsigned element_bytes, unsigned transform,
           unsigned max_contexts, unsigned key_shift, unsigned n_threads, unsigned predictor, unsigned context_input,
           unsigned companion_bytes, unsigned mantissa_bits, const SectionTuples& sections,
           unsigned max_low_contexts, const std::string& kernels) {
            return weightzip::encode_blocks(raw, predecessor, companion,
                                            {element_bytes, transform, predictor, context_input, companion_bytes,
                                             max_contexts, max_low_contexts, key_shift, mantissa_bits, sections},
                                            n_threads, kernels);
        },
        "raw"_a, "predecessor"_a.none(), "companion"_a.none(), nb::kw_only(), "element_bytes"_a, "transform"_a,
        "max_contexts"_a, "key_shift"_a, "n_threads"_a, "predictor"_a = 0, "context_input"_a = 0,
        "companion_bytes"_a = 0, "mantissa_bits"_a = 0, "sections"_a = nb::make_tuple(), "max_low_contexts"_a = 0,
        "kernels"_a = "auto",
        nb::sig("def encode_blocks(raw: Buffer, predecessor: Buffer | None, companion: Buffer | None, *, "
                "element_bytes: int, transform: int, max_contexts: int, key_shift: int, n_threads: int, "
                "predictor: int = 0, context_input: int = 0, companion_bytes: int = 0, mantissa_bits: int = 0, "
                "sections: Sequence[tuple[int, int, int]] = (), max_low_contexts: int = 0, kernels: str = 'auto') -> bytes"),
        R"(Return the block group of raw, a whole number (1 or more) of elements.

Contexts, tables, the storage of each plane, and factors (predictor 2, or context_input 3) are chosen here,
by integers: the bytes depend on neither n_threads (0: one a processor) nor kernels ("auto" or one of
list_kernels()). predecessor is as long as raw, companion as many elements, of companion_bytes each; it is given
exactly with context_input 2. mantissa_bits (of the elements) and sections (n_elements, n_columns, first_column)
are for factors. With max_low_contexts, planes below the top one may have contexts by its bytes. The group may do with less than it was given: what it leans on stands in its recipe.

Raises:
    ValueError: an argument is out of range, or an input is missing.)");
    m.def(
        "estimate_blocks",
        [](nb::handle raw, nb::handle predecessor, nb::handle companion, unsigned element_bytes, unsigned transform,
           unsigned max_contexts, unsigned key_shift, unsigned predictor, unsigned context_input,
           unsigned companion_bytes, unsigned mantissa_bits, const SectionTuples& sections) {
            return weightzip::estimate_blocks(raw, predecessor, companion,
                                              {element_bytes, transform, predictor, context_input, companion_bytes,
                                               max_contexts, 0, key_shift, mantissa_bits, sections});
        },
        "raw"_a, "predecessor"_a.none(), "companion"_a.none(), nb::kw_only(), "element_bytes"_a, "transform"_a,
        "max_contexts"_a, "key_shift"_a, "predictor"_a = 0, "context_input"_a = 0, "companion_bytes"_a = 0,
        "mantissa_bits"_a = 0, "sections"_a = nb::make_tuple(),
        nb::sig("def estimate_blocks(raw: Buffer, predecessor: Buffer | None, companion: Buffer | None, *, "
                "element_bytes: int, transform: int, max_contexts: int, key_shift: int, predictor: int = 0, "
                "context_input: int = 0, companion_bytes: int = 0, mantissa_bits: int = 0, "
                "sections: Sequence[tuple[int, int, int]] = ()) -> int"),
        R"(Estimate the length of encode_blocks' result, in bytes, from a fixed sample of at most 16384 elements.

Low contexts are left out of it. Factors of predictor 2 are fitted to all elements first, which takes time in proportion to their number.

Raises:
    ValueError: as encode_blocks.)");
    m.def("decode_blocks", &weightzip::decode_blocks, "group"_a, "predecessor"_a.none(), "companion"_a.none(), "out"_a,
          nb::kw_only(), "n_threads"_a, "kernels"_a = "auto",
          nb::sig("def decode_blocks(group: Buffer, predecessor: Buffer | None, companion: Buffer | None, out: Buffer, "
                  "*, n_threads: int, kernels: str = 'auto') -> None"),
          R"(Decode a block group into out, which is exactly as long as the raw bytes.

predecessor and companion must be given exactly if the group leans on them. No input makes this read or write out of
bounds.

Raises:
    CorruptBlocks: group is not a block group of that many bytes, or leans on other inputs; out is then undefined.
    ValueError: out or companion is empty, predecessor is not as long as out, or kernels is not "auto" or one of
        list_kernels().)");
    m.def("derive", &weightzip::derive, "companion"_a, "out"_a, nb::kw_only(), "derivation"_a,
          nb::sig("def derive(companion: Buffer, out: Buffer, *, derivation: int) -> None"),
          R"(Derive the 2-byte elements of out from as many fp32 elements.

derivation: 0 bf16 to nearest even, 1 bf16 truncated, 2 fp16 to nearest even, 3 the lower 16 bits.

Raises:
    ValueError: derivation is not 0 to 3, or companion is not twice as long as out.)");
    m.def("cpu_features", &weightzip::cpu_features, nb::sig("def cpu_features() -> list[str]"),
          "Return the processor features that the vector kernels will use, or none if they cannot run.");
    m.def("list_kernels", &weightzip::list_kernel_names, nb::sig("def list_kernels() -> list[str]"),
          "Return the names of the kernel sets that this processor runs, the fastest first. All give the same bytes.");
}
