#include "block/decode.hpp"

#include <algorithm>
#include <memory>

#include "block/error.hpp"
#include "block/group_view.hpp"
#include "block/parallel.hpp"
#include "block/plane_reader.hpp"

namespace weightzip {
namespace {

// What one worker needs.
struct BlockReader {
    std::array<PlaneReader, kMaxPlanes> planes;
    std::array<std::uint8_t, kStretchElements> contexts;
};

// The contexts of n elements, or nullptr if the group has none.
const std::uint8_t* find_contexts(const GroupView& view, const std::uint8_t* predecessor, std::size_t n,
                                  const KernelSet& kernels, BlockReader& reader) noexcept {
    if (view.recipe.n_contexts == 1) return nullptr;
    const ContextSource& source = view.recipe.source;
    std::uint8_t* contexts = reader.contexts.data();
    kernels.elementwise->keys[view.recipe.element_log2](predecessor, contexts, n, source.key_shift, source.key_base);
    for (std::size_t i = 0; i < n; ++i) contexts[i] = source.context_of_key[contexts[i]];
    return contexts;
}

void decode_block(const GroupView& view, std::size_t block, const std::uint8_t* predecessor, std::uint8_t* raw,
                  const KernelSet& kernels, BlockReader& reader) {
    const Recipe& recipe = view.recipe;
    const std::size_t first = block << recipe.block_log2;
    const std::size_t n_elements = std::min(recipe.block_elements(), view.n_elements - first);
    const std::size_t n_planes = view.n_planes();
    for (std::size_t k = 0; k < n_planes; ++k) {
        reader.planes[k].open(view.planes[k], view.payloads[block * n_planes + k], n_elements);
    }
    for (std::size_t done = 0; done < n_elements; done += kStretchElements) {
        const std::size_t n = std::min(kStretchElements, n_elements - done);
        const std::size_t at = (first + done) << recipe.element_log2;
        const std::uint8_t* before = predecessor == nullptr ? nullptr : predecessor + at;
        const std::uint8_t* contexts = find_contexts(view, before, n, kernels, reader);
        const std::uint8_t* planes[kMaxPlanes];
        for (std::size_t k = 0; k < n_planes; ++k) planes[k] = reader.planes[k].read(n, contexts, kernels);
        kernels.elementwise->join[recipe.element_log2][recipe.transform](planes, before, raw + at, n);
    }
    for (std::size_t k = 0; k < n_planes; ++k) reader.planes[k].finish();
}

}  // namespace

void decode_group(std::span<const std::uint8_t> group, const std::uint8_t* predecessor, std::span<std::uint8_t> raw,
                  unsigned n_threads, const KernelSet& kernels) {
    const GroupView view = read_group(group, raw.size());
    require(view.recipe.leans_on_predecessor() == (predecessor != nullptr),
            predecessor == nullptr ? "the recipe needs predecessor bytes and there are none"
                                   : "the recipe needs no predecessor bytes and there are some");
    const std::size_t n_blocks = view.recipe.count_blocks(view.n_elements);
    std::vector<std::unique_ptr<BlockReader>> readers(count_workers(n_blocks, n_threads));
    for (auto& reader : readers) reader = std::make_unique<BlockReader>();
    run_parallel(n_blocks, n_threads, [&](std::size_t block, unsigned worker) {
        decode_block(view, block, predecessor, raw.data(), kernels, *readers[worker]);
    });
}

}  // namespace weightzip
