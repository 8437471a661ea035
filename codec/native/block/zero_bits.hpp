// Elements of a wide type that hold values of a narrower one.
#pragma once

#include "block/elements.hpp"

namespace weightzip {

// How many low bits, which are 0 in all elements, are better left out of what is coded.
std::uint8_t find_zero_bits(const Elements& elements) noexcept;

}  // namespace weightzip
