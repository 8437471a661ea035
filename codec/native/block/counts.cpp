#include "block/counts.hpp"

#include <algorithm>
#include <cstring>

#include "block/parallel.hpp"
#include "block/workspace.hpp"
#include "kernels/histogram.hpp"

namespace weightzip {
namespace {

constexpr std::size_t kKeySamples = 1024;
constexpr std::size_t kBlockElements = std::size_t{1} << kMaxBlockLog2;

std::uint64_t magnitude_of(const Elements& elements, std::size_t i) noexcept {
    std::uint64_t value = 0;
    const unsigned n_bytes = 1u << elements.context_log2();
    std::memcpy(&value, elements.context_at(i), n_bytes);
    const unsigned sign_bit = 8 * n_bytes - 1;
    return value & ~(std::uint64_t{1} << sign_bit);
}

bool wants(const CountModes& modes, CountMode mode) noexcept {
    return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

// The rows of the elements of one block.
struct BlockRows {
    const std::uint8_t* rows;
    std::size_t n_rows;
    bool are_contexts;
};

void count_plane(PlaneCounts& counts, CountMode mode, const std::uint8_t* plane, const BlockRows& block,
                 std::size_t n_elements) {
    if (mode == CountMode::skip || is_constant(plane, n_elements)) return;
    counts.n_elements += n_elements;
    ++counts.n_blocks;
    if (mode == CountMode::flat) return count_symbols(plane, n_elements, counts.rows.data());
    counts.rows.resize(std::max(counts.rows.size(), 256 * block.n_rows));
    if (block.are_contexts) {
        count_symbols_by_context(plane, block.rows, n_elements, block.n_rows, counts.rows.data());
    } else {
        count_symbols_by_key(plane, block.rows, n_elements, counts.rows.data());
    }
}

BlockRows rows_of_keys(const std::uint8_t* keys, std::size_t n) noexcept {
    return {keys, std::size_t{*std::max_element(keys, keys + n)} + 1, false};
}

BlockRows find_rows(std::size_t n, const RowSource& source, const EncodeOptions& options, PlaneWorkspace& workspace) {
    std::uint8_t* keys = workspace.keys();
    workspace.find_keys(options.key_shift, source.key_base);
    if (source.context_of_key == nullptr) return rows_of_keys(keys, n);
    options.kernels->map_bytes(keys, n, *source.context_of_key);
    return {keys, source.n_contexts, true};
}

}  // namespace

Histogram PlaneCounts::row(std::size_t key) const noexcept {
    Histogram histogram;
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(256 * key), 256, histogram.begin());
    return histogram;
}

Histogram PlaneCounts::sum() const noexcept {
    Histogram sums{};
    for (std::size_t r = 0; r < n_rows(); ++r) {
        for (std::size_t s = 0; s < 256; ++s) sums[s] += rows[256 * r + s];
    }
    return sums;
}

Histogram PlaneCounts::total() const noexcept {
    Histogram counts = sum();
    for (std::uint32_t& count : counts) {
        count = static_cast<std::uint32_t>((count * weight + kUnitWeight - 1) / kUnitWeight);
    }
    return counts;
}

void PlaneCounts::add(const PlaneCounts& other) {
    rows.resize(std::max(rows.size(), other.rows.size()));
    for (std::size_t i = 0; i < other.rows.size(); ++i) rows[i] += other.rows[i];
    n_elements += other.n_elements;
    n_blocks += other.n_blocks;
}

void PlaneCounts::represent(std::uint64_t numerator, std::uint64_t denominator) noexcept {
    weight = kUnitWeight * numerator / denominator;
    n_elements = n_elements * numerator / denominator;
    n_blocks = (n_elements + kBlockElements - 1) / kBlockElements;
}

std::uint32_t choose_key_base(const Elements& elements, unsigned key_shift) {
    const std::size_t stride = elements.n_elements / kKeySamples + 1;
    std::vector<std::uint64_t> keys;
    keys.reserve(kKeySamples);
    for (std::size_t i = 0; i < elements.n_elements; i += stride) {
        keys.push_back(magnitude_of(elements, i) >> key_shift);
    }
    std::sort(keys.begin(), keys.end());
    std::size_t best_first = 0;
    std::size_t most = 0;
    for (std::size_t first = 0, end = 0; first < keys.size(); ++first) {
        while (end < keys.size() && keys[end] - keys[first] < 256) ++end;
        if (end - first > most) most = end - first, best_first = first;
    }
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(keys[best_first], ~std::uint32_t{0}));
}

GroupCounts count_planes(const Elements& elements, const CountModes& modes, const RowSource& source,
                         const EncodeOptions& options) {
    const std::size_t n_blocks = (elements.n_elements + kBlockElements - 1) / kBlockElements;
    const std::size_t n_planes = elements.n_planes();
    const unsigned n_workers = count_workers(n_blocks, options.n_threads);
    std::vector<GroupCounts> counts(n_workers);
    std::vector<PlaneWorkspace> workspaces;
    for (unsigned w = 0; w < n_workers; ++w) workspaces.emplace_back(n_planes, elements.n_elements);
    run_parallel(n_blocks, options.n_threads, [&](std::size_t block, unsigned worker) {
        PlaneWorkspace& workspace = workspaces[worker];
        const std::size_t first = block * kBlockElements;
        const std::size_t n = std::min(kBlockElements, elements.n_elements - first);
        const bool by_top = wants(modes, CountMode::by_top);
        const auto wanted = [&](std::size_t k) { return modes[k] != CountMode::skip || (k == 0 && by_top); };
        workspace.load(elements, first, n, *options.kernels);
        workspace.split(wanted);
        BlockRows rows{};
        BlockRows top{};
        if (by_top) top = rows_of_keys(workspace.plane(0), n);
        if (wants(modes, CountMode::by_key)) rows = find_rows(n, source, options, workspace);
        for (std::size_t k = 0; k < n_planes; ++k) {
            count_plane(counts[worker][k], modes[k], workspace.plane(k), modes[k] == CountMode::by_top ? top : rows, n);
        }
    });
    for (unsigned worker = 1; worker < n_workers; ++worker) {
        for (std::size_t k = 0; k < n_planes; ++k) counts[0][k].add(counts[worker][k]);
    }
    return counts[0];
}

}  // namespace weightzip
