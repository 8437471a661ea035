#include "block/encode.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "block/analyze.hpp"
#include "block/bytes.hpp"
#include "block/encode_table.hpp"
#include "block/fit_factors.hpp"
#include "block/fit_scales.hpp"
#include "block/layout.hpp"
#include "block/parallel.hpp"
#include "block/workspace.hpp"
#include "block/zero_bits.hpp"
#include "kernels/histogram.hpp"

namespace weightzip {
namespace {

// A plan, ready for the kernels.
struct Encoder {
    Recipe recipe;
    ByteMap context_of_key;
    ByteMap low_context_of_byte;
    GroupPlan plan;
    std::array<EncodeTables, kMaxPlanes> tables;
};

// What one worker needs beside the planes.
struct Worker {
    PlaneWorkspace planes;
    std::size_t n_words;
    std::unique_ptr<std::uint16_t[]> words;
    std::unique_ptr<std::uint16_t[]> positions;  // of exceptions
    std::span<const std::uint8_t> ahead;         // the raw bytes behind the block at hand

    Worker(std::size_t n_planes, std::size_t n_elements)
        : planes(n_planes, n_elements),
          n_words(std::min(n_elements, std::size_t{1} << kMaxBlockLog2) + kEncodeSlackWords),
          words(std::make_unique_for_overwrite<std::uint16_t[]>(n_words)),
          positions(std::make_unique_for_overwrite<std::uint16_t[]>(n_words)) {}
};

bool uses_contexts(const Encoder& encoder) noexcept { return encoder.recipe.n_contexts > 1; }

Encoder make_encoder(const Elements& elements, const EncodeOptions& options) {
    Analysis analysis = analyze_elements(elements, options);
    Encoder encoder;
    encoder.recipe.element_log2 = elements.element_log2;
    encoder.recipe.transform = elements.transform;
    encoder.recipe.n_contexts = static_cast<std::uint8_t>(analysis.plan.contexts.n_contexts);
    encoder.recipe.predictor = elements.predictor;
    encoder.recipe.zero_bits = elements.zero_bits;
    if (uses_contexts(encoder)) {
        encoder.recipe.context_input = elements.context_input;
        encoder.recipe.companion_log2 = elements.companion_log2;
    }
    if (encoder.recipe.has_factors()) encoder.recipe.factors = *elements.factors;
    encoder.recipe.source = {options.key_shift, analysis.key_base, analysis.plan.contexts.context_of_key};
    encoder.context_of_key = make_byte_map(encoder.recipe.source.context_of_key.data());
    const ContextMap& low = analysis.plan.low_contexts;
    if (low.n_contexts > 1) {
        encoder.recipe.low_contexts = {static_cast<std::uint8_t>(low.n_contexts), low.context_of_key};
        encoder.low_context_of_byte = make_byte_map(low.context_of_key.data());
    }
    encoder.plan = std::move(analysis.plan);
    for (std::size_t k = 0; k < elements.n_planes(); ++k) {
        const PlanePlan& plane = encoder.plan.planes[k];
        encoder.tables[k] = EncodeTables(plane.tables, plane.prob_bits);
    }
    return encoder;
}

// The payloads of one block, one after another; there is room for all planes as they are.
struct BlockWriter {
    std::uint8_t* out;
    std::size_t n_bytes = 0;

    void align() noexcept {
        const std::size_t end = n_bytes;
        n_bytes = align16(end);
        std::memset(out + end, 0, n_bytes - end);
    }
    void put(const void* from, std::size_t n) noexcept {
        if (n != 0) std::memcpy(out + n_bytes, from, n);
        n_bytes += n;
    }
};

// The symbols that the one table of a plane does not list.
struct Exceptions {
    std::span<const std::uint16_t> positions;

    std::size_t size() const noexcept { return 4 + 3 * positions.size() + positions.size() % 2; }

    void write(BlockWriter& block, const std::uint8_t* symbols) const noexcept {
        const auto n = static_cast<std::uint32_t>(positions.size());
        block.put(&n, sizeof n);
        block.put(positions.data(), 2 * positions.size());
        for (const std::uint16_t position : positions) block.put(symbols + position, 1);
        constexpr std::uint8_t kZero = 0;
        block.put(&kZero, n % 2);
    }
};

Exceptions find_exceptions(const Table& table, const std::uint8_t* symbols, std::size_t n, const KernelSet& kernels,
                           std::uint16_t* positions) noexcept {
    const auto count = static_cast<std::uint8_t>(table.count);
    return {{positions, kernels.find_outside(symbols, n, table.first, count, positions)}};
}

// Writes the rANS payload of a plane if that is shorter than the plane, and returns its size; otherwise 0.
std::size_t write_rans(const Encoder& encoder, std::size_t k, std::size_t n, const KernelSet& kernels, Worker& worker,
                       BlockWriter& block) {
    const PlanePlan& plan = encoder.plan.planes[k];
    const std::uint8_t* symbols = worker.planes.plane(k);
    const std::uint8_t* contexts = nullptr;
    if (plan.mode == PlaneMode::contexts) contexts = worker.planes.keys();
    if (plan.mode == PlaneMode::low_contexts) contexts = worker.planes.low_contexts();
    // What is left of the next block is fetched while this one is encoded.
    const bool is_ahead = 2 * n * (k + 1) <= worker.ahead.size();
    const std::uint8_t* ahead = is_ahead ? worker.ahead.data() + 2 * n * k : nullptr;
    std::uint32_t states[kLanes];
    std::uint16_t* words_end = worker.words.get() + worker.n_words;
    const std::uint16_t* words =
        kernels.rans_encode(encoder.tables[k].view(), symbols, contexts, n, ahead, words_end, states);
    const auto words_bytes = 2 * static_cast<std::size_t>(words_end - words);
    const bool escapes = plan.tables[0].has_escape();
    Exceptions exceptions;
    if (escapes) exceptions = find_exceptions(plan.tables[0], symbols, n, kernels, worker.positions.get());
    const std::size_t n_bytes = kStateBytes + (escapes ? exceptions.size() : 0) + words_bytes;
    if (n_bytes >= n) return 0;
    block.put(states, kStateBytes);
    if (escapes) exceptions.write(block, symbols);
    block.put(words, words_bytes);
    return n_bytes;
}

// Writes one plane of one block and returns its entry in the block table.
std::uint32_t encode_plane(const Encoder& encoder, std::size_t k, std::size_t n, const KernelSet& kernels,
                           Worker& worker, BlockWriter& block) {
    const std::uint8_t* symbols = worker.planes.plane(k);
    if (is_constant(symbols, n)) return make_block_entry(PlaneStorage::constant, symbols[0]);
    block.align();
    if (encoder.plan.planes[k].mode != PlaneMode::raw) {
        const std::size_t n_bytes = write_rans(encoder, k, n, kernels, worker, block);
        if (n_bytes != 0) return make_block_entry(PlaneStorage::rans, n_bytes);
    }
    block.put(symbols, n);
    return make_block_entry(PlaneStorage::raw, n);
}

// Returns the number of bytes written.
std::size_t encode_block(const Elements& elements, const Encoder& encoder, std::size_t index,
                         const EncodeOptions& options, Worker& worker, std::uint32_t* entries, BlockWriter block) {
    const std::size_t first = index << encoder.recipe.block_log2;
    const std::size_t n = std::min(encoder.recipe.block_elements(), elements.n_elements - first);
    worker.planes.load(elements, first, n, *options.kernels);
    worker.planes.split([](std::size_t) { return true; });
    if (uses_contexts(encoder)) {
        worker.planes.find_keys(encoder.recipe.source.key_shift, encoder.recipe.source.key_base);
        options.kernels->map_bytes(worker.planes.keys(), n, encoder.context_of_key);
    }
    if (encoder.recipe.low_contexts.n_contexts != 0) worker.planes.find_low_contexts(encoder.low_context_of_byte);
    worker.ahead = {elements.raw_at(first + n), elements.raw_at(elements.n_elements)};
    for (std::size_t k = 0; k < elements.n_planes(); ++k) {
        entries[k] = encode_plane(encoder, k, n, *options.kernels, worker, block);
    }
    return block.n_bytes;
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

std::vector<std::uint8_t> make_head(const Encoder& encoder, std::size_t n_planes) {
    std::vector<std::uint8_t> head;
    write_recipe(head, encoder.recipe);
    write_tables(head, encoder.plan, n_planes);
    return head;
}

// Elements whose zero bits are known, and whose factors, if they are to have any, are fitted; without contexts if those
// would come from nothing else.
class Fitted {
public:
    Fitted(const Elements& elements, const EncodeOptions& options, bool for_sample)
        : elements_(elements), options_(options) {
        elements_.zero_bits = find_zero_bits(elements);
        if (!elements.has_factors()) return;
        if (elements.predictor == Predictor::factors) {
            factors_ = fit_factors(elements, *options.kernels);
        } else {
            factors_ = fit_scales(elements, for_sample, *options.kernels);
        }
        if (factors_) {
            elements_.factors = &*factors_;
        } else {
            elements_.context_input = ContextInput::none;
            options_.max_contexts = 1;
        }
    }
    Fitted(const Fitted&) = delete;
    Fitted& operator=(const Fitted&) = delete;

    const Elements& elements() const noexcept { return elements_; }
    const EncodeOptions& options() const noexcept { return options_; }

private:
    Elements elements_;
    EncodeOptions options_;
    std::optional<Factors> factors_;
};

}  // namespace

std::size_t encode_group(const Elements& all, const EncodeOptions& wishes, const Allocate& allocate) {
    const Fitted fitted(all, wishes, false);
    const Elements& elements = fitted.elements();
    const EncodeOptions& options = fitted.options();
    const Encoder encoder = make_encoder(elements, options);
    const std::size_t n_planes = elements.n_planes();
    const std::size_t n_blocks = encoder.recipe.count_blocks(elements.n_elements);
    const std::size_t block_bytes = n_planes * align16(std::min(encoder.recipe.block_elements(), elements.n_elements));
    const unsigned n_workers = count_workers(n_blocks, options.n_threads);
    GroupWriter group(make_head(encoder, n_planes), n_blocks, n_planes, block_bytes, n_workers == 1, allocate);
    std::vector<Worker> workers;
    for (unsigned w = 0; w < n_workers; ++w) workers.emplace_back(n_planes, elements.n_elements);
    run_parallel(n_blocks, options.n_threads, [&](std::size_t index, unsigned worker) {
        const BlockWriter block{group.place(index)};
        group.finish_block(index, encode_block(elements, encoder, index, options, workers[worker],
                                               group.entries(index), block));
    });
    return group.finish();
}

std::size_t estimate_group(const Elements& all, const EncodeOptions& options) {
    const Fitted fitted(all, options, true);
    const Elements& elements = fitted.elements();
    const ContextChoice contexts = analyze_sample(elements, fitted.options());
    Recipe recipe;
    recipe.n_contexts = static_cast<std::uint8_t>(contexts.map.n_contexts);
    recipe.source.context_of_key = contexts.map.context_of_key;
    recipe.predictor = elements.predictor;
    if (recipe.n_contexts > 1) recipe.context_input = elements.context_input;
    if (recipe.has_factors()) recipe.factors = *elements.factors;
    std::vector<std::uint8_t> head;
    write_recipe(head, recipe);
    const std::size_t n_planes = elements.n_planes();
    std::size_t n_bytes = head.size() + 4 + 2 * n_planes + 4 * n_planes * recipe.count_blocks(elements.n_elements);
    for (std::size_t k = 0; k < n_planes; ++k) n_bytes += (contexts.costs[k] >> kCostShift) / 8;
    return n_bytes;
}

}  // namespace weightzip
