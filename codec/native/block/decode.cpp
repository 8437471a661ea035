#include "block/decode.hpp"

#include <algorithm>
#include <memory>

#include "block/error.hpp"
#include "block/group_view.hpp"
#include "block/parallel.hpp"
#include "block/plane_reader.hpp"
#include "block/predict.hpp"

namespace weightzip {
namespace {

constexpr std::size_t kCacheLineBytes = 64;

// What decoding needs to know about a group.
struct Source {
    const GroupView& view;
    const GroupInputs& inputs;
    const KernelSet& kernels;
    const ByteMap context_of_key;
    const ByteMap low_context_of_byte;

    bool has_low_contexts() const noexcept { return view.recipe.low_contexts.n_contexts != 0; }
};

// One block, stretch by stretch.
class BlockReader {
public:
    // Throws CorruptBlocks.
    void open(const Source& source, std::size_t block, std::uint8_t* raw) {
        const Recipe& recipe = source.view.recipe;
        const std::size_t first = block << recipe.block_log2;
        left_ = std::min(recipe.block_elements(), source.view.n_elements - first);
        element_ = first;
        raw_ = raw + (first << recipe.element_log2);
        const GroupInputs& inputs = source.inputs;
        predecessor_ = inputs.predecessor == nullptr ? nullptr : inputs.predecessor + (first << recipe.element_log2);
        if (recipe.needs_companion()) companion_ = inputs.companion.data() + (first << recipe.companion_log2);
        const std::size_t n_planes = source.view.n_planes();
        for (std::size_t k = 0; k < n_planes; ++k) {
            planes_[k].open(source.view.planes[k], source.view.payloads[block * n_planes + k], left_);
        }
    }

    // Elements of the next stretch; 0 at the end of the block.
    std::size_t next_elements() const noexcept { return std::min(left_, kStretchElements); }

    // Decodes the next stretch of one to kMaxStreams blocks; all stretches are equally long. Throws CorruptBlocks.
    static void read(std::span<BlockReader> readers, const Source& source) {
        const std::size_t n = readers[0].next_elements();
        for (BlockReader& reader : readers) reader.predict(source, n);
        for (BlockReader& reader : readers) reader.find_contexts(source, n);
        const bool joins = std::all_of(readers.begin(), readers.end(), [&](const BlockReader& reader) {
            return reader.can_join_while_decoding(source);
        });
        if (!joins) {
            for (BlockReader& reader : readers) reader.prefetch_ahead(n, source);
        }
        for (std::size_t k = 0; k < source.view.n_planes(); ++k) {
            decode_plane(readers, k, n, joins, source);
            for (BlockReader& reader : readers) reader.finish_plane(k, n, source);
        }
        for (BlockReader& reader : readers) reader.finish_stretch(n, joins, source);
    }

    // Throws CorruptBlocks unless every plane ended as it must.
    void finish(const Source& source) const {
        for (std::size_t k = 0; k < source.view.n_planes(); ++k) planes_[k].finish();
    }

private:
    // Of the elements of the stretch, as plane k sees them.
    const std::uint8_t* contexts(std::size_t k) const noexcept {
        switch (planes_[k].mode()) {
            case PlaneMode::contexts: return contexts_.data();
            case PlaneMode::low_contexts: return low_contexts_.data();
            default: return nullptr;
        }
    }

    void predict(const Source& source, std::size_t n) {
        const Recipe& recipe = source.view.recipe;
        predicted_ = predecessor_;
        if (recipe.predictor != Predictor::factors) return;
        predicted_ = prediction_.predict(recipe.factors, predecessor_, element_, n, recipe.element_log2, source.kernels);
    }

    void find_contexts(const Source& source, std::size_t n) {
        const Recipe& recipe = source.view.recipe;
        if (recipe.n_contexts == 1) return;
        const KeyFields fields{recipe.source.key_shift, recipe.source.key_base};
        const bool by_scale = recipe.context_input == ContextInput::scale;
        if (by_scale && recipe.predictor != Predictor::factors) {
            prediction_.find_keys(recipe.factors, predecessor_, element_, n, recipe.element_log2, fields, source.kernels,
                                  contexts_.data());
        } else {
            const bool by_companion = recipe.needs_companion();
            const std::uint8_t* from = by_companion ? companion_ : by_scale ? predicted_ : predecessor_;
            const KeyKernel find_keys =
                source.kernels.elementwise->keys[by_companion ? recipe.companion_log2 : recipe.element_log2];
            find_keys(from, contexts_.data(), n, fields.shift, fields.base);
        }
        source.kernels.map_bytes(contexts_.data(), n, source.context_of_key);
    }

    // Asks for the memory that will be touched after the entropy decoding of this stretch, which hides the latency:
    // the inputs of the next stretch and the place of this one.
    void prefetch_ahead(std::size_t n, const Source& source) const noexcept {
        const Recipe& recipe = source.view.recipe;
        const std::size_t n_bytes = n << recipe.element_log2;
        for (std::size_t i = 0; i < n_bytes; i += kCacheLineBytes) __builtin_prefetch(raw_ + i, 1);
        if (left_ < 2 * n) return;
        if (predecessor_ != nullptr) prefetch(predecessor_ + n_bytes, n_bytes);
        if (recipe.needs_companion()) prefetch(companion_ + (n << recipe.companion_log2), n << recipe.companion_log2);
    }

    static void prefetch(const std::uint8_t* from, std::size_t n_bytes) noexcept {
        for (std::size_t i = 0; i < n_bytes; i += kCacheLineBytes) __builtin_prefetch(from + i, 0);
    }

    bool can_join_while_decoding(const Source& source) const noexcept {
        const Recipe& recipe = source.view.recipe;
        if (source.has_low_contexts()) return false;
        const bool is_plain = recipe.element_log2 == 1 && recipe.transform == kRotate && recipe.zero_bits == 0;
        return is_plain && planes_[0].is_rans() && !planes_[1].is_rans();
    }

    static void decode_plane(std::span<BlockReader> readers, std::size_t k, std::size_t n, bool joins,
                             const Source& source) {
        RansStream streams[kMaxStreams];
        std::size_t n_streams = 0;
        for (BlockReader& reader : readers) {
            if (!reader.planes_[k].is_rans()) continue;
            RansStream& stream = streams[n_streams++] = reader.planes_[k].stream(reader.contexts(k));
            if (joins) stream.low_plane = reader.planes_[1].next_bytes(), stream.raw = reader.raw_;
        }
        if (n_streams != 0) decode_streams(readers[0].planes_[k].table(), streams, n_streams, n, source.kernels);
    }

    void finish_plane(std::size_t k, std::size_t n, const Source& source) {
        planes_[k].advance(n, contexts(k), source.kernels);
        if (k != 0 || !source.has_low_contexts()) return;
        std::copy_n(planes_[0].bytes(), n, low_contexts_.data());
        source.kernels.map_bytes(low_contexts_.data(), n, source.low_context_of_byte);
    }

    void finish_stretch(std::size_t n, bool is_joined, const Source& source) {
        const Recipe& recipe = source.view.recipe;
        const std::uint8_t* planes[kMaxPlanes];
        for (std::size_t k = 0; k < source.view.n_planes(); ++k) planes[k] = planes_[k].bytes();
        const JoinKernel join = source.kernels.elementwise->join[recipe.element_log2][recipe.transform];
        if (is_joined) {
            join_exceptions(planes, recipe.zero_bits, join);
        } else {
            join(planes, predicted_, recipe.zero_bits, raw_, n);
        }
        left_ -= n;
        element_ += n;
        raw_ += n << recipe.element_log2;
        if (predecessor_ != nullptr) predecessor_ += n << recipe.element_log2;
        if (recipe.needs_companion()) companion_ += n << recipe.companion_log2;
    }

    // Joins the exceptions once more: they were not in place when the kernel joined.
    void join_exceptions(const std::uint8_t* const* planes, unsigned zero_bits, JoinKernel join) const {
        planes_[0].for_each_exception([&](std::size_t i) {
            const std::uint8_t* element[] = {planes[0] + i, planes[1] + i};
            join(element, nullptr, zero_bits, raw_ + 2 * i, 1);
        });
    }

    std::size_t left_ = 0;
    std::size_t element_ = 0;  // of the group: the next to decode
    std::uint8_t* raw_ = nullptr;
    const std::uint8_t* predecessor_ = nullptr;
    const std::uint8_t* companion_ = nullptr;
    const std::uint8_t* predicted_ = nullptr;
    Prediction prediction_;
    std::array<PlaneReader, kMaxPlanes> planes_;
    std::array<std::uint8_t, kStretchElements> contexts_;
    std::array<std::uint8_t, kStretchElements> low_contexts_;
};

using BlockReaders = std::array<BlockReader, kMaxStreams>;

// Decodes blocks first to first + n_blocks - 1 (at most kMaxStreams), in lockstep as far as their stretches match: only
// the last block of a group may be shorter than the others.
void decode_blocks(const Source& source, std::size_t first, std::size_t n_blocks, std::uint8_t* raw,
                   BlockReaders& readers) {
    for (std::size_t i = 0; i < n_blocks; ++i) readers[i].open(source, first + i, raw);
    BlockReader& last = readers[n_blocks - 1];
    while (readers[0].next_elements() != 0) {
        const bool all_match = last.next_elements() == readers[0].next_elements();
        BlockReader::read(std::span(readers).first(all_match ? n_blocks : n_blocks - 1), source);
    }
    while (last.next_elements() != 0) BlockReader::read(std::span(&last, 1), source);
    for (std::size_t i = 0; i < n_blocks; ++i) readers[i].finish(source);
}

// How many parts, of nearly as many blocks each, to decode a group in. The blocks of a part are decoded in lockstep: as
// many as suits the kernels, but not so many that workers idle.
std::size_t count_parts(std::size_t n_blocks, unsigned n_threads, const KernelSet& kernels) {
    const std::size_t n_full = (n_blocks + kernels.decode_streams - 1) / kernels.decode_streams;
    return std::max<std::size_t>(n_full, count_workers(n_blocks, n_threads));
}

void check_inputs(const GroupView& view, const GroupInputs& inputs) {
    const bool has_predecessor = inputs.predecessor != nullptr;
    require(view.recipe.needs_predecessor() == has_predecessor,
            has_predecessor ? "the recipe needs no predecessor bytes and there are some"
                            : "the recipe needs predecessor bytes and there are none");
    const bool has_companion = !inputs.companion.empty();
    require(view.recipe.needs_companion() == has_companion,
            has_companion ? "the recipe needs no companion bytes and there are some"
                          : "the recipe needs companion bytes and there are none");
    require(!has_companion || inputs.companion.size() == view.n_elements << view.recipe.companion_log2,
            "the companion bytes are not as many elements as the raw bytes");
}

}  // namespace

void decode_group(std::span<const std::uint8_t> group, const GroupInputs& inputs, std::span<std::uint8_t> raw,
                  unsigned n_threads, const KernelSet& kernels) {
    const GroupView view = read_group(group, raw.size());
    check_inputs(view, inputs);
    const Source source{view, inputs, kernels, make_byte_map(view.recipe.source.context_of_key.data()),
                        make_byte_map(view.recipe.low_contexts.context_of_byte.data())};
    const std::size_t n_blocks = view.recipe.count_blocks(view.n_elements);
    const std::size_t n_parts = count_parts(n_blocks, n_threads, kernels);
    std::vector<std::unique_ptr<BlockReaders>> readers(count_workers(n_parts, n_threads));
    for (auto& reader : readers) reader = std::make_unique_for_overwrite<BlockReaders>();
    run_parallel(n_parts, n_threads, [&](std::size_t part, unsigned worker) {
        const std::size_t first = part * n_blocks / n_parts;
        const std::size_t end = (part + 1) * n_blocks / n_parts;
        decode_blocks(source, first, end - first, raw.data(), *readers[worker]);
    });
}

}  // namespace weightzip
