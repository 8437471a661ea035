// Coverage-guided fuzzing of decode_group, with libFuzzer: whatever the input, every kernel set accepts or refuses it
// alike and restores the same bytes, and the sanitizers find nothing. Seeds: tests/fuzz/group_seeds.py.
//
// An input is [u32] raw_bytes - 1, [u32] companion_bytes, [u8] bit 0: has a predecessor, bit 1: the fastest kernels take
// two threads, and then the group. Inputs of the group are not part of it: they are always the same, see input_byte.
#include <cstring>

#include "block/bytes.hpp"
#include "block/decode.hpp"
#include "block/error.hpp"
#include "check.hpp"

namespace weightzip::test {
namespace {

constexpr std::size_t kFrontBytes = 9;
constexpr std::size_t kMaxRawBytes = 1 << 18;
constexpr std::uint32_t kCompanionBegin = 12345;

// Bytes whose upper bits say little and whose lower bits are mixed well, as those of weights: contexts come from them.
std::uint8_t input_byte(std::uint32_t i) { return static_cast<std::uint8_t>(0x38 + (i * 2654435761u >> 29)); }

Exact make_input(std::size_t n_bytes, std::uint32_t begin) {
    Exact input(n_bytes);
    for (std::uint32_t i = 0; i < n_bytes; ++i) input.data[i] = input_byte(begin + i);
    return input;
}

bool try_decode(std::span<const std::uint8_t> group, const GroupInputs& inputs, Exact& raw, unsigned n_threads,
                const KernelSet& kernels) {
    try {
        decode_group(group, inputs, {raw.data.get(), raw.size}, n_threads, kernels);
        return true;
    } catch (const CorruptBlocks&) {
        return false;
    }
}

void fuzz(const std::uint8_t* data, std::size_t n_bytes) {
    if (n_bytes < kFrontBytes) return;
    const std::size_t raw_bytes = 1 + load_u32(data) % kMaxRawBytes;
    const Exact companion = make_input(load_u32(data + 4) % (2 * kMaxRawBytes), kCompanionBegin);
    const Exact predecessor = make_input((data[8] & 1) == 0 ? 0 : raw_bytes, 0);
    const GroupInputs inputs{predecessor.size == 0 ? nullptr : predecessor.data.get(),
                             {companion.data.get(), companion.size}};
    Exact group(n_bytes - kFrontBytes);
    std::memcpy(group.data.get(), data + kFrontBytes, group.size);
    Exact expected(raw_bytes);
    const std::span<const std::uint8_t> stored{group.data.get(), group.size};
    const bool decoded = try_decode(stored, inputs, expected, 1, *list_kernels().back());
    for (const KernelSet* kernels : list_kernels()) {
        Exact raw(raw_bytes);
        const unsigned n_threads = kernels == &best_kernels() && (data[8] & 2) != 0 ? 2 : 1;
        check(try_decode(stored, inputs, raw, n_threads, *kernels) == decoded, "all kernels agree");
        check(!decoded || std::memcmp(raw.data.get(), expected.data.get(), raw_bytes) == 0, "and on the bytes");
    }
}

}  // namespace
}  // namespace weightzip::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n_bytes) {
    weightzip::test::fuzz(data, n_bytes);
    return 0;
}
