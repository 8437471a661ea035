// The memory one encoding worker needs for one block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "block/elements.hpp"
#include "block/predict.hpp"

namespace weightzip {

class PlaneWorkspace {
public:
    PlaneWorkspace(std::size_t n_planes, std::size_t n_elements)
        : stride_(std::min(n_elements, std::size_t{1} << kMaxBlockLog2)),
          bytes_(std::make_unique_for_overwrite<std::uint8_t[]>((n_planes + 2) * stride_)) {}

    // Turns to elements first to first + n - 1, which the other calls are about. elements must outlive these.
    void load(const Elements& elements, std::size_t first, std::size_t n, const KernelSet& kernels) {
        elements_ = &elements;
        first_ = first;
        n_ = n;
        kernels_ = &kernels;
        predicted_ = elements.predecessor_at(first);
        if (elements.predictor == Predictor::factors) predicted_ = find_scales();
    }

    // Splits the elements into the planes k for which wanted(k) holds.
    template <typename Wanted>
    void split(Wanted&& wanted) noexcept {
        std::uint8_t* planes[kMaxPlanes];
        for (std::size_t k = 0; k < elements_->n_planes(); ++k) planes[k] = wanted(k) ? plane(k) : nullptr;
        kernels_->elementwise->split[elements_->element_log2][elements_->transform](
            elements_->raw_at(first_), predicted_, elements_->zero_bits, planes, n_);
    }

    // Writes the context keys to keys().
    void find_keys(unsigned key_shift, std::uint32_t key_base) {
        const std::uint8_t* from = elements_->context_at(first_);
        if (elements_->context_input == ContextInput::scale) {
            if (elements_->predictor != Predictor::factors) return find_scale_keys({key_shift, key_base});
            from = predicted_;
        }
        kernels_->elementwise->keys[elements_->context_log2()](from, keys(), n_, key_shift, key_base);
    }

    // Writes the contexts of the planes below the top one to low_contexts().
    void find_low_contexts(const ByteMap& context_of_byte) noexcept {
        std::copy_n(plane(0), n_, low_contexts());
        kernels_->map_bytes(low_contexts(), n_, context_of_byte);
    }

    std::uint8_t* low_contexts() noexcept { return bytes_.get() + stride_; }
    std::uint8_t* keys() noexcept { return bytes_.get(); }
    std::uint8_t* plane(std::size_t k) noexcept { return bytes_.get() + (k + 2) * stride_; }

private:
    const std::uint8_t* find_scales() {
        return prediction_.predict(*elements_->factors, elements_->predecessor_at(first_), first_, n_,
                                   elements_->element_log2, *kernels_);
    }

    void find_scale_keys(const KeyFields& fields) {
        prediction_.find_keys(*elements_->factors, elements_->predecessor_at(first_), first_, n_,
                              elements_->element_log2, fields, *kernels_, keys());
    }

    const Elements* elements_ = nullptr;
    const KernelSet* kernels_ = nullptr;
    const std::uint8_t* predicted_ = nullptr;
    std::size_t first_ = 0;
    std::size_t n_ = 0;
    std::size_t stride_;
    Prediction prediction_;
    std::unique_ptr<std::uint8_t[]> bytes_;
};

}  // namespace weightzip
