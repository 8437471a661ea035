#include "block/encode.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "block/analyze.hpp"
#include "block/bytes.hpp"
#include "block/encode_table.hpp"
#include "block/layout.hpp"
#include "block/parallel.hpp"
#include "block/workspace.hpp"
#include "kernels/histogram.hpp"

namespace weightzip {
namespace {

// A plan, ready for the kernels.
struct Encoder {
    Recipe recipe;
    ByteMap context_of_key;
    GroupPlan plan;
    std::array<EncodeTables, kMaxPlanes> tables;
};

// What one worker needs beside the planes.
struct Worker {
    PlaneWorkspace planes;
    std::size_t n_words;
    std::unique_ptr<std::uint16_t[]> words;
    std::unique_ptr<std::uint16_t[]> positions;  // of exceptions
    std::vector<std::uint8_t> block;             // grows once to what a block needs

    Worker(std::size_t n_planes, std::size_t n_elements)
        : planes(n_planes, n_elements),
          n_words(std::min(n_elements, std::size_t{1} << kMaxBlockLog2) + kEncodeSlackWords),
          words(std::make_unique_for_overwrite<std::uint16_t[]>(n_words)),
          positions(std::make_unique_for_overwrite<std::uint16_t[]>(n_words)) {}
};

Encoder make_encoder(const Elements& elements, const EncodeOptions& options) {
    Analysis analysis = analyze_elements(elements, options);
    Encoder encoder;
    encoder.recipe.element_log2 = elements.element_log2;
    encoder.recipe.transform = elements.transform;
    encoder.recipe.n_contexts = static_cast<std::uint8_t>(analysis.plan.contexts.n_contexts);
    encoder.recipe.source = {options.key_shift, analysis.key_base, analysis.plan.contexts.context_of_key};
    encoder.context_of_key = make_byte_map(encoder.recipe.source.context_of_key.data());
    encoder.plan = std::move(analysis.plan);
    for (std::size_t k = 0; k < elements.n_planes(); ++k) {
        const PlanePlan& plane = encoder.plan.planes[k];
        encoder.tables[k] = EncodeTables(plane.tables, plane.prob_bits);
    }
    return encoder;
}

bool uses_contexts(const Encoder& encoder) noexcept { return encoder.recipe.n_contexts > 1; }

// Appends the exceptions: the symbols that the one table of the plane does not list.
void append_exceptions(std::vector<std::uint8_t>& block, const Table& table, const std::uint8_t* symbols, std::size_t n,
                       const KernelSet& kernels, std::uint16_t* positions) {
    const auto count = static_cast<std::uint8_t>(table.count);
    const auto n_exceptions = static_cast<std::uint32_t>(
        kernels.find_outside(symbols, n, table.first, count, positions));
    append(block, n_exceptions);
    append_bytes(block, positions, 2 * n_exceptions);
    for (std::size_t e = 0; e < n_exceptions; ++e) block.push_back(symbols[positions[e]]);
    if (n_exceptions % 2 == 1) block.push_back(0);
}

// Appends the rANS payload of a plane to worker.block and returns its size.
std::size_t append_rans(const Encoder& encoder, std::size_t k, std::size_t n, const KernelSet& kernels,
                        Worker& worker) {
    std::vector<std::uint8_t>& block = worker.block;
    const PlanePlan& plan = encoder.plan.planes[k];
    const std::uint8_t* symbols = worker.planes.plane(k);
    const std::uint8_t* contexts = plan.mode == PlaneMode::contexts ? worker.planes.keys() : nullptr;
    std::uint32_t states[kLanes];
    std::uint16_t* words_end = worker.words.get() + worker.n_words;
    const std::uint16_t* words =
        kernels.rans_encode(encoder.tables[k].view(), symbols, contexts, n, words_end, states);
    const std::size_t start = block.size();
    append_bytes(block, states, kStateBytes);
    if (plan.tables[0].has_escape()) {
        append_exceptions(block, plan.tables[0], symbols, n, kernels, worker.positions.get());
    }
    append_bytes(block, words, 2 * static_cast<std::size_t>(words_end - words));
    return block.size() - start;
}

// Appends one plane of one block to worker.block and returns its entry in the block table.
std::uint32_t encode_plane(const Encoder& encoder, std::size_t k, std::size_t n, const KernelSet& kernels,
                           Worker& worker) {
    std::vector<std::uint8_t>& block = worker.block;
    const std::uint8_t* symbols = worker.planes.plane(k);
    if (is_constant(symbols, n)) return make_block_entry(PlaneStorage::constant, symbols[0]);
    const std::size_t end = block.size();
    block.resize(align16(end));
    if (encoder.plan.planes[k].mode != PlaneMode::raw) {
        const std::size_t n_bytes = append_rans(encoder, k, n, kernels, worker);
        if (n_bytes < n) return make_block_entry(PlaneStorage::rans, n_bytes);
        block.resize(align16(end));
    }
    append_bytes(block, symbols, n);
    return make_block_entry(PlaneStorage::raw, n);
}

void encode_block(const Elements& elements, const Encoder& encoder, std::size_t index, const EncodeOptions& options,
                  Worker& worker, std::uint32_t* entries, std::vector<std::uint8_t>& block) {
    const std::size_t first = index << encoder.recipe.block_log2;
    const std::size_t n = std::min(encoder.recipe.block_elements(), elements.n_elements - first);
    worker.planes.split(elements, first, n, *options.kernels, [](std::size_t) { return true; });
    if (uses_contexts(encoder)) {
        const ContextSource& source = encoder.recipe.source;
        worker.planes.find_keys(elements, first, n, source.key_shift, source.key_base, *options.kernels);
        options.kernels->map_bytes(worker.planes.keys(), n, encoder.context_of_key);
    }
    worker.block.clear();
    for (std::size_t k = 0; k < elements.n_planes(); ++k) {
        entries[k] = encode_plane(encoder, k, n, *options.kernels, worker);
    }
    block = worker.block;  // a copy of exactly this size
}

void write_tables(std::vector<std::uint8_t>& head, const GroupPlan& plan, std::size_t n_planes) {
    BitWriter writer;
    for (std::size_t k = 0; k < n_planes; ++k) {
        append(head, static_cast<std::uint8_t>(plan.planes[k].mode));
        append(head, plan.planes[k].prob_bits);
        for (const Table& table : plan.planes[k].tables) write_table(writer, table);
    }
    const std::vector<std::uint8_t> tables = writer.finish();
    append(head, static_cast<std::uint32_t>(tables.size()));
    head.insert(head.end(), tables.begin(), tables.end());
}

}  // namespace

std::size_t EncodedGroup::size() const noexcept {
    std::size_t area = 0;
    for (const auto& block : blocks) {
        if (!block.empty()) area = align16(area) + block.size();
    }
    return head.size() + area;
}

void EncodedGroup::copy_to(std::uint8_t* out) const noexcept {
    std::memcpy(out, head.data(), head.size());
    out += head.size();
    std::size_t area = 0;
    for (const auto& block : blocks) {
        if (block.empty()) continue;
        const std::size_t start = align16(area);
        std::memset(out + area, 0, start - area);
        std::memcpy(out + start, block.data(), block.size());
        area = start + block.size();
    }
}

EncodedGroup encode_group(const Elements& elements, const EncodeOptions& options) {
    const Encoder encoder = make_encoder(elements, options);
    const std::size_t n_planes = elements.n_planes();
    const std::size_t n_blocks = encoder.recipe.count_blocks(elements.n_elements);
    EncodedGroup group;
    group.blocks.resize(n_blocks);
    std::vector<std::uint32_t> entries(n_blocks * n_planes);
    std::vector<Worker> workers;
    const unsigned n_workers = count_workers(n_blocks, options.n_threads);
    for (unsigned w = 0; w < n_workers; ++w) workers.emplace_back(n_planes, elements.n_elements);
    run_parallel(n_blocks, options.n_threads, [&](std::size_t index, unsigned worker) {
        encode_block(elements, encoder, index, options, workers[worker], &entries[index * n_planes],
                     group.blocks[index]);
    });
    write_recipe(group.head, encoder.recipe);
    write_tables(group.head, encoder.plan, n_planes);
    for (const std::uint32_t entry : entries) append(group.head, entry);
    return group;
}

std::size_t estimate_group(const Elements& elements, const EncodeOptions& options) {
    const ContextChoice contexts = analyze_sample(elements, options);
    Recipe recipe;
    recipe.n_contexts = static_cast<std::uint8_t>(contexts.map.n_contexts);
    recipe.source.context_of_key = contexts.map.context_of_key;
    std::vector<std::uint8_t> head;
    write_recipe(head, recipe);
    const std::size_t n_planes = elements.n_planes();
    std::size_t n_bytes = head.size() + 4 + 2 * n_planes + 4 * n_planes * recipe.count_blocks(elements.n_elements);
    for (std::size_t k = 0; k < n_planes; ++k) n_bytes += (contexts.costs[k] >> kCostShift) / 8;
    return n_bytes;
}

}  // namespace weightzip
