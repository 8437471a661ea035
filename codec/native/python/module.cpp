// The Python module weightzip.codec._native: argument checks, buffers, and the release of the interpreter lock.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "block/decode.hpp"
#include "block/encode.hpp"
#include "block/error.hpp"
#include "python/buffer.hpp"

namespace nb = nanobind;

namespace weightzip {
namespace {

void check(bool holds, const char* otherwise) {
    if (!holds) throw nb::value_error(otherwise);
}

const KernelSet& find_kernels(const std::string& name) {
    if (name == "auto") return best_kernels();
    for (const KernelSet* kernels : list_kernels()) {
        if (name == kernels->name) return *kernels;
    }
    throw nb::value_error("kernels must be \"auto\" or one of list_kernels()");
}

// The arguments that encode_blocks and estimate_blocks share, checked.
class EncodeArguments {
public:
    EncodeArguments(nb::handle raw, nb::handle predecessor, unsigned element_bytes, unsigned transform,
                    unsigned max_contexts, unsigned key_shift)
        : raw_(raw, false) {
        check(element_bytes <= 8 && std::has_single_bit(element_bytes), "element_bytes must be 1, 2, 4 or 8");
        check(transform <= 3, "transform must be 0 to 3");
        check(max_contexts >= 1 && max_contexts <= kMaxContexts, "max_contexts must be 1 to 32");
        check(key_shift <= 63, "key_shift must be 0 to 63");
        check(!raw_.bytes().empty(), "raw is empty");
        check(raw_.bytes().size() < std::size_t{1} << 31, "raw must be shorter than 2 GiB");
        check(raw_.bytes().size() % element_bytes == 0, "raw must be whole elements");
        if (!predecessor.is_none()) {
            predecessor_.emplace(predecessor, false);
            check(predecessor_->bytes().size() == raw_.bytes().size(), "predecessor must be as long as raw");
        }
        check(predecessor_ || (transform < kFirstDifference && max_contexts == 1),
              "differences and contexts need a predecessor");
        const auto element_log2 = static_cast<std::uint8_t>(std::countr_zero(element_bytes));
        elements_ = {raw_.bytes().data(), predecessor_ ? predecessor_->bytes().data() : nullptr,
                     raw_.bytes().size() >> element_log2, element_log2, static_cast<std::uint8_t>(transform)};
    }

    const Elements& elements() const noexcept { return elements_; }

private:
    PythonBuffer raw_;
    std::optional<PythonBuffer> predecessor_;
    Elements elements_{};
};

nb::bytes encode_blocks(nb::handle raw, nb::handle predecessor, unsigned element_bytes, unsigned transform,
                        unsigned max_contexts, unsigned key_shift, unsigned n_threads, const std::string& kernels) {
    const EncodeArguments arguments(raw, predecessor, element_bytes, transform, max_contexts, key_shift);
    const EncodeOptions options{max_contexts, static_cast<std::uint8_t>(key_shift), n_threads, &find_kernels(kernels)};
    EncodedGroup group;
    {
        const nb::gil_scoped_release release;
        group = encode_group(arguments.elements(), options);
    }
    auto result = nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(group.size())));
    if (!result.is_valid()) throw nb::python_error();
    auto* out = reinterpret_cast<std::uint8_t*>(PyBytes_AsString(result.ptr()));
    {
        const nb::gil_scoped_release release;
        group.copy_to(out);
    }
    return result;
}

std::size_t estimate_blocks(nb::handle raw, nb::handle predecessor, unsigned element_bytes, unsigned transform,
                            unsigned max_contexts, unsigned key_shift) {
    const EncodeArguments arguments(raw, predecessor, element_bytes, transform, max_contexts, key_shift);
    const EncodeOptions options{max_contexts, static_cast<std::uint8_t>(key_shift), 1, &best_kernels()};
    const nb::gil_scoped_release release;
    return estimate_group(arguments.elements(), options);
}

void decode_blocks(nb::handle group, nb::handle predecessor, nb::handle out, unsigned n_threads, const std::string& kernels) {
    const PythonBuffer group_buffer(group, false);
    const PythonBuffer out_buffer(out, true);
    std::optional<PythonBuffer> predecessor_buffer;
    check(!out_buffer.bytes().empty(), "out is empty");
    check(out_buffer.bytes().size() < std::size_t{1} << 31, "out must be shorter than 2 GiB");
    if (!predecessor.is_none()) {
        predecessor_buffer.emplace(predecessor, false);
        check(predecessor_buffer->bytes().size() == out_buffer.bytes().size(), "predecessor must be as long as out");
    }
    const KernelSet& kernel_set = find_kernels(kernels);
    const nb::gil_scoped_release release;
    decode_group(group_buffer.bytes(), predecessor_buffer ? predecessor_buffer->bytes().data() : nullptr,
                 out_buffer.bytes(), n_threads, kernel_set);
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
    m.doc() = "Block groups in C++: docs/format.md, \"Block group\". Every call releases the interpreter lock.";
    nb::exception<weightzip::CorruptBlocks>(m, "CorruptBlocks", PyExc_ValueError).doc() =
        "The body contradicts docs/format.md. The message says what is wrong, not where.";
    m.def("encode_blocks", &weightzip::encode_blocks, "raw"_a, "predecessor"_a.none(), nb::kw_only(),
          "element_bytes"_a, "transform"_a, "max_contexts"_a, "key_shift"_a, "n_threads"_a, "kernels"_a = "auto",
          nb::sig("def encode_blocks(raw: Buffer, predecessor: Buffer | None, *, element_bytes: int, transform: int, "
                  "max_contexts: int, key_shift: int, n_threads: int, kernels: str = 'auto') -> bytes"),
          R"(Return the block group of raw, a whole number (1 or more) of elements.

Contexts, tables and the storage of each plane are chosen here, by integer cost: the bytes depend on neither
n_threads (0: one a processor) nor kernels ("auto" or one of list_kernels()). predecessor is as long as raw.
The group leans on the predecessor only if byte 1 (transform) is 2 or 3 or byte 3 (n_contexts) is above 1.

Raises:
    ValueError: an argument is out of range, or a difference or contexts are asked for without a predecessor.)");
    m.def("estimate_blocks", &weightzip::estimate_blocks, "raw"_a, "predecessor"_a.none(), nb::kw_only(),
          "element_bytes"_a, "transform"_a, "max_contexts"_a, "key_shift"_a,
          nb::sig("def estimate_blocks(raw: Buffer, predecessor: Buffer | None, *, element_bytes: int, "
                  "transform: int, max_contexts: int, key_shift: int) -> int"),
          R"(Estimate the length of encode_blocks' result, in bytes, from a fixed sample of at most 16384 elements.

Raises:
    ValueError: as encode_blocks.)");
    m.def("decode_blocks", &weightzip::decode_blocks, "group"_a, "predecessor"_a.none(), "out"_a, nb::kw_only(),
          "n_threads"_a, "kernels"_a = "auto",
          nb::sig("def decode_blocks(group: Buffer, predecessor: Buffer | None, out: Buffer, *, n_threads: int, "
                  "kernels: str = 'auto') -> None"),
          R"(Decode a block group into out, which is exactly as long as the raw bytes.

predecessor must be given exactly if the group leans on it. No input makes this read or write out of bounds.

Raises:
    CorruptBlocks: group is not a block group of that many bytes; out is then undefined.
    ValueError: out is empty, predecessor is not as long as out, or kernels is not "auto" or one of list_kernels().)");
    m.def("cpu_features", &weightzip::cpu_features, nb::sig("def cpu_features() -> list[str]"),
          "Return the processor features that the vector kernels will use, or none if they cannot run.");
    m.def("list_kernels", &weightzip::list_kernel_names, nb::sig("def list_kernels() -> list[str]"),
          "Return the names of the kernel sets that this processor runs, the fastest first. All give the same bytes.");
}
