#include "block/group_view.hpp"

#include <algorithm>

#include "block/bytes.hpp"

namespace weightzip {
namespace {

void read_plane_mode(PlaneView& plane, std::size_t k, std::uint8_t mode, std::uint8_t prob_bits, const Recipe& recipe) {
    require(mode <= 3, "a plane_mode is reserved");
    plane.mode = static_cast<PlaneMode>(mode);
    plane.prob_bits = prob_bits;
    require(plane.mode != PlaneMode::contexts || recipe.n_contexts > 1, "a plane uses contexts and there are none");
    require(plane.mode != PlaneMode::low_contexts || (k > 0 && recipe.low_contexts.n_contexts != 0),
            "a plane uses low contexts and there are none");
    if (plane.mode == PlaneMode::raw) {
        require(prob_bits == 0, "a raw plane has prob_bits");
    } else {
        require(prob_bits >= kMinProbBits && prob_bits <= kMaxProbBits, "prob_bits is not 8 to 12");
    }
}

void read_plane_tables(BitReader& reader, PlaneView& plane, const Recipe& recipe) {
    if (plane.mode == PlaneMode::raw) return;
    std::size_t n_tables = 1;
    if (plane.mode == PlaneMode::contexts) n_tables = recipe.n_contexts;
    if (plane.mode == PlaneMode::low_contexts) n_tables = recipe.low_contexts.n_contexts;
    plane.tables.open(n_tables, plane.prob_bits);
    for (std::size_t t = 0; t < n_tables; ++t) plane.tables.add(read_table(reader, plane.prob_bits));
}

void read_tables(std::span<const std::uint8_t>& bytes, GroupView& view) {
    const auto modes = take_bytes(bytes, 2 * view.n_planes(), "the plane modes end too early");
    for (std::size_t k = 0; k < view.n_planes(); ++k) {
        read_plane_mode(view.planes[k], k, modes[2 * k], modes[2 * k + 1], view.recipe);
    }
    const std::uint32_t table_bytes = load_u32(take_bytes(bytes, 4, "table_bytes is missing").data());
    BitReader reader(take_bytes(bytes, table_bytes, "the tables end too early"));
    for (std::size_t k = 0; k < view.n_planes(); ++k) read_plane_tables(reader, view.planes[k], view.recipe);
    reader.finish();
}

// Takes the payload of one block table entry off the payload area.
PayloadView take_payload(std::uint32_t entry, std::size_t n_elements, const PlaneView& plane,
                         std::span<const std::uint8_t> area, std::size_t& position) {
    const std::uint32_t value = entry & kValueMask;
    require(entry >> kStorageShift <= 2, "a plane_storage is reserved");
    const auto storage = static_cast<PlaneStorage>(entry >> kStorageShift);
    if (storage == PlaneStorage::constant) {
        require(value < 256, "a constant is not a byte");
        return {storage, static_cast<std::uint8_t>(value), {}};
    }
    if (storage == PlaneStorage::raw) {
        require(value == n_elements, "a raw payload is not one byte an element");
    } else {
        require(plane.mode != PlaneMode::raw, "a raw plane has a rANS payload");
        require(value >= kStateBytes, "a rANS payload is too short for its states");
    }
    const std::size_t start = align16(position);
    require(start <= area.size() && value <= area.size() - start, "the payloads end too early");
    for (; position < start; ++position) require(area[position] == 0, "the bytes between payloads are not zero");
    position = start + value;
    return {storage, 0, area.subspan(start, value)};
}

}  // namespace

GroupView read_group(std::span<const std::uint8_t> group, std::size_t raw_bytes) {
    GroupView view;
    view.recipe = read_recipe(group, raw_bytes);
    view.n_elements = raw_bytes >> view.recipe.element_log2;
    read_tables(group, view);
    const std::size_t n_blocks = view.recipe.count_blocks(view.n_elements);
    const auto block_table = take_bytes(group, 4 * n_blocks * view.n_planes(), "the block table ends too early");
    view.payloads.reserve(n_blocks * view.n_planes());
    std::size_t position = 0;
    for (std::size_t block = 0; block < n_blocks; ++block) {
        const std::size_t first = block << view.recipe.block_log2;
        const std::size_t n = std::min(view.recipe.block_elements(), view.n_elements - first);
        for (std::size_t k = 0; k < view.n_planes(); ++k) {
            const std::uint32_t entry = load_u32(&block_table[4 * (block * view.n_planes() + k)]);
            view.payloads.push_back(take_payload(entry, n, view.planes[k], group, position));
        }
    }
    require(position == group.size(), "bytes are left after the last payload");
    return view;
}

}  // namespace weightzip
