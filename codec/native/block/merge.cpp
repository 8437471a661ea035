#include "block/merge.hpp"

#include <algorithm>

namespace weightzip {
namespace {

using SignedCost = std::int64_t;

// Neighbouring keys that share a context, with their counts in each plane that has a say.
struct KeyGroup {
    unsigned last_key;
    std::vector<Histogram> planes;
    Cost cost = 0;             // of coding the counts and storing the tables
    SignedCost merge_gain = 0;  // of merging with the next group; unused in the last
};

Cost group_cost(const std::vector<Histogram>& planes) noexcept {
    Cost cost = 0;
    for (const Histogram& plane : planes) cost += estimate_cost(plane);
    return cost;
}

void add_to(std::vector<Histogram>& planes, const std::vector<Histogram>& more) noexcept {
    for (std::size_t k = 0; k < planes.size(); ++k) {
        for (unsigned s = 0; s < 256; ++s) planes[k][s] += more[k][s];
    }
}

void find_merge_gain(std::vector<KeyGroup>& groups, std::size_t i) {
    std::vector<Histogram> both = groups[i].planes;
    add_to(both, groups[i + 1].planes);
    groups[i].merge_gain = static_cast<SignedCost>(groups[i].cost + groups[i + 1].cost) -
                           static_cast<SignedCost>(group_cost(both));
}

void merge_with_next(std::vector<KeyGroup>& groups, std::size_t i) {
    add_to(groups[i].planes, groups[i + 1].planes);
    groups[i].last_key = groups[i + 1].last_key;
    groups[i].cost = group_cost(groups[i].planes);
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (i > 0) find_merge_gain(groups, i - 1);
    if (i + 1 < groups.size()) find_merge_gain(groups, i);
}

bool is_empty(const std::vector<Histogram>& planes) noexcept {
    return std::all_of(planes.begin(), planes.end(), [](const Histogram& plane) {
        return std::all_of(plane.begin(), plane.end(), [](std::uint64_t count) { return count == 0; });
    });
}

// One group for every key that occurs; a key that does not belongs to the group below it, at the start to none.
std::vector<KeyGroup> make_groups(const GroupCounts& counts, const std::vector<std::size_t>& planes) {
    std::vector<KeyGroup> groups;
    std::size_t n_rows = 0;
    for (const std::size_t k : planes) n_rows = std::max(n_rows, counts[k].n_rows());
    for (std::size_t key = 0; key < n_rows; ++key) {
        std::vector<Histogram> rows;
        for (const std::size_t k : planes) {
            rows.push_back(key < counts[k].n_rows() ? counts[k].row(key) : Histogram{});
        }
        if (is_empty(rows)) continue;
        const Cost cost = group_cost(rows);
        groups.push_back({static_cast<unsigned>(key), std::move(rows), cost});
    }
    return groups;
}

}  // namespace

ContextMap merge_contexts(const GroupCounts& counts, const std::vector<std::size_t>& planes, unsigned max_contexts) {
    std::vector<KeyGroup> groups = make_groups(counts, planes);
    for (std::size_t i = 0; i + 1 < groups.size(); ++i) find_merge_gain(groups, i);
    while (groups.size() > 1) {
        const auto best = std::max_element(groups.begin(), groups.end() - 1, [](const KeyGroup& a, const KeyGroup& b) {
            return a.merge_gain < b.merge_gain;
        });
        if (best->merge_gain < 0 && groups.size() <= max_contexts) break;
        merge_with_next(groups, static_cast<std::size_t>(best - groups.begin()));
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

std::vector<Histogram> context_histograms(const PlaneCounts& counts, const ContextMap& map) {
    std::vector<Histogram> histograms(map.n_contexts, Histogram{});
    for (std::size_t key = 0; key < counts.n_rows(); ++key) {
        Histogram& histogram = histograms[map.context_of_key[key]];
        for (std::size_t s = 0; s < 256; ++s) histogram[s] += counts.rows[256 * key + s];
    }
    return histograms;
}

}  // namespace weightzip
