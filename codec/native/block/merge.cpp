#include "block/merge.hpp"

#include <algorithm>
#include <numeric>

namespace weightzip {
namespace {

using SignedCost = std::int64_t;

// Neighbouring keys that share a context, with their counts in each plane that has a say.
struct KeyGroup {
    unsigned last_key = 0;
    std::vector<Histogram> planes;
    Cost cost = 0;              // of coding the counts and storing the tables
    Cost merged_cost = 0;       // of the same if merged with the next group; unused in the last
    SignedCost merge_gain = 0;  // what that saves
};

// The counts of both groups, if there are two.
Cost group_cost(const KeyGroup& group, const KeyGroup* next, const std::vector<std::uint64_t>& weights) noexcept {
    Cost cost = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        Histogram counts = group.planes[k];
        for (unsigned s = 0; next != nullptr && s < 256; ++s) counts[s] += next->planes[k][s];
        cost += estimate_cost(counts, weights[k]);
    }
    return cost;
}

void find_merge_gain(std::vector<KeyGroup>& groups, std::size_t i, const std::vector<std::uint64_t>& weights) {
    KeyGroup& group = groups[i];
    group.merged_cost = group_cost(group, &groups[i + 1], weights);
    group.merge_gain =
        static_cast<SignedCost>(group.cost + groups[i + 1].cost) - static_cast<SignedCost>(group.merged_cost);
}

void merge_with_next(std::vector<KeyGroup>& groups, std::size_t i, const std::vector<std::uint64_t>& weights) {
    const KeyGroup& next = groups[i + 1];
    for (std::size_t k = 0; k < weights.size(); ++k) {
        for (unsigned s = 0; s < 256; ++s) groups[i].planes[k][s] += next.planes[k][s];
    }
    groups[i].last_key = next.last_key;
    groups[i].cost = groups[i].merged_cost;
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (i > 0) find_merge_gain(groups, i - 1, weights);
    if (i + 1 < groups.size()) find_merge_gain(groups, i, weights);
}

// Fewer elements than this say too little to weigh a key of their own.
constexpr std::uint64_t kMinGroupElements = 64;

std::uint64_t count_elements(const GroupCounts& counts, std::size_t k, std::size_t key) noexcept {
    if (key >= counts[k].n_rows()) return 0;
    const auto row = counts[k].rows.begin() + static_cast<std::ptrdiff_t>(256 * key);
    return std::accumulate(row, row + 256, std::uint64_t{0});
}

void add_key(KeyGroup& group, std::size_t key, const GroupCounts& counts, const std::vector<std::size_t>& planes) {
    group.last_key = static_cast<unsigned>(key);
    group.planes.resize(planes.size());
    for (std::size_t i = 0; i < planes.size(); ++i) {
        if (key >= counts[planes[i]].n_rows()) continue;
        const Histogram row = counts[planes[i]].row(key);
        for (unsigned s = 0; s < 256; ++s) group.planes[i][s] += row[s];
    }
}

// Runs of keys that hold enough elements to be weighed.
std::vector<KeyGroup> make_groups(const GroupCounts& counts, const std::vector<std::size_t>& planes,
                                  const std::vector<std::uint64_t>& weights) {
    std::size_t n_rows = 0;
    for (const std::size_t k : planes) n_rows = std::max(n_rows, counts[k].n_rows());
    std::vector<KeyGroup> groups;
    std::uint64_t n_elements = kMinGroupElements;  // in the last group
    for (std::size_t key = 0; key < n_rows; ++key) {
        std::uint64_t n = 0;
        for (const std::size_t k : planes) n = std::max(n, count_elements(counts, k, key));
        if (n == 0) continue;
        if (n_elements >= kMinGroupElements) {
            groups.emplace_back();
            n_elements = 0;
        }
        add_key(groups.back(), key, counts, planes);
        n_elements += n;
    }
    for (KeyGroup& group : groups) group.cost = group_cost(group, nullptr, weights);
    return groups;
}

}  // namespace

ContextMap merge_contexts(const GroupCounts& counts, const std::vector<std::size_t>& planes, unsigned max_contexts) {
    std::vector<std::uint64_t> weights;
    for (const std::size_t k : planes) weights.push_back(counts[k].weight);
    std::vector<KeyGroup> groups = make_groups(counts, planes, weights);
    for (std::size_t i = 0; i + 1 < groups.size(); ++i) find_merge_gain(groups, i, weights);
    while (groups.size() > 1) {
        const auto best = std::max_element(groups.begin(), groups.end() - 1, [](const KeyGroup& a, const KeyGroup& b) {
            return a.merge_gain < b.merge_gain;
        });
        if (best->merge_gain < 0 && groups.size() <= max_contexts) break;
        merge_with_next(groups, static_cast<std::size_t>(best - groups.begin()), weights);
    }
    ContextMap map;
    map.n_contexts = static_cast<unsigned>(std::max<std::size_t>(groups.size(), 1));
    unsigned context = 0;
    for (unsigned key = 0; key < 256; ++key) {
        if (context + 1 < groups.size() && key > groups[context].last_key) ++context;
        map.context_of_key[key] = static_cast<std::uint8_t>(context);
    }
    return map;
}

}  // namespace weightzip
