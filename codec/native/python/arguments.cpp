#include "python/arguments.hpp"

#include <bit>

namespace weightzip {
namespace {

// Factors of so many elements fit into a group whatever they are.
constexpr std::size_t kMaxFactorElements = std::size_t{1} << 28;

std::uint8_t size_log2(unsigned n_bytes) noexcept { return static_cast<std::uint8_t>(std::countr_zero(n_bytes)); }

bool is_element_size(unsigned n_bytes) noexcept { return n_bytes <= 8 && std::has_single_bit(n_bytes); }

}  // namespace

EncodeArguments::EncodeArguments(nanobind::handle raw, nanobind::handle predecessor, nanobind::handle companion,
                                 const RecipeWishes& wishes)
    : raw_(raw, false),
      predecessor_(hold_if_given(predecessor)),
      companion_(hold_if_given(companion)),
      max_contexts_(wishes.max_contexts),
      max_low_contexts_(wishes.max_low_contexts),
      key_shift_(static_cast<std::uint8_t>(wishes.key_shift)) {
    check_recipe(wishes);
    elements_.raw = raw_.bytes().data();
    elements_.element_log2 = size_log2(wishes.element_bytes);
    elements_.n_elements = raw_.bytes().size() >> elements_.element_log2;
    elements_.transform = static_cast<std::uint8_t>(wishes.transform);
    elements_.predictor = static_cast<Predictor>(wishes.predictor);
    elements_.context_input = static_cast<ContextInput>(wishes.context_input);
    check_inputs(wishes);
    if (predecessor_) elements_.predecessor = predecessor_->bytes().data();
    if (companion_) {
        elements_.companion = companion_->bytes().data();
        elements_.companion_log2 = size_log2(wishes.companion_bytes);
    }
    set_factors(wishes);
}

void EncodeArguments::check_recipe(const RecipeWishes& wishes) const {
    check(is_element_size(wishes.element_bytes), "element_bytes must be 1, 2, 4 or 8");
    check(wishes.transform <= 3, "transform must be 0 to 3");
    check(wishes.predictor <= 2, "predictor must be 0 to 2");
    check(wishes.context_input <= 3, "context_input must be 0 to 3");
    check(wishes.max_contexts >= 1 && wishes.max_contexts <= kMaxContexts, "max_contexts must be 1 to 32");
    check(wishes.max_low_contexts <= kMaxContexts, "max_low_contexts must be 0 to 32");
    check(wishes.key_shift <= 63, "key_shift must be 0 to 63");
    check((wishes.transform >= kFirstDifference) == (wishes.predictor != 0),
          "a predictor goes with the transforms 2 and 3");
    check((wishes.max_contexts > 1) == (wishes.context_input != 0), "a context_input goes with max_contexts above 1");
    check(!raw_.bytes().empty(), "raw is empty");
    check(raw_.bytes().size() < kMaxRawBytes, "raw must be shorter than 2 GiB");
    check(raw_.bytes().size() % wishes.element_bytes == 0, "raw must be whole elements");
}

void EncodeArguments::check_inputs(const RecipeWishes& wishes) const {
    check(!predecessor_ || predecessor_->bytes().size() == raw_.bytes().size(), "predecessor must be as long as raw");
    check(predecessor_ || (wishes.predictor != 1 && wishes.context_input != 1),
          "predictor 1 and context_input 1 need a predecessor");
    const bool by_companion = elements_.context_input == ContextInput::companion;
    check(companion_.has_value() == by_companion, "a companion goes with context_input 2");
    check(by_companion ? is_element_size(wishes.companion_bytes) : wishes.companion_bytes == 0,
          "companion_bytes must be 1, 2, 4 or 8 with a companion and 0 without");
    check(!companion_ || companion_->bytes().size() == elements_.n_elements * wishes.companion_bytes,
          "companion must be as many elements as raw");
}

void EncodeArguments::set_factors(const RecipeWishes& wishes) {
    if (!elements_.has_factors()) {
        check(wishes.mantissa_bits == 0 && wishes.sections.empty(),
              "mantissa_bits and sections go with predictor 2 and context_input 3");
        return;
    }
    check(elements_.n_elements <= kMaxFactorElements, "raw must be at most 2^28 elements with factors");
    for (const auto& [n_elements, n_columns, first_column] : wishes.sections) {
        sections_.push_back({n_elements, n_columns, first_column});
    }
    const char* fault = find_fault(wishes.mantissa_bits, sections_, elements_.element_log2, elements_.n_elements);
    check(fault == nullptr, fault);
    elements_.mantissa_bits = static_cast<std::uint8_t>(wishes.mantissa_bits);
    elements_.sections = sections_;
}

}  // namespace weightzip
