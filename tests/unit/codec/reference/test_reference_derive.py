"""Derived elements, beside formulations of other origin: NumPy's casts, and rounding as distances between floats."""

import numpy as np
import pytest
from numpy.typing import NDArray

from weightzip.codec.reference.derive import Derivation, derive_elements

# With every upper half: the ends, the middles and the ties of what bf16 and fp16 leave out.
LOWER_HALVES = (
    0x0000,
    0x0001,
    0x0FFF,
    0x1000,
    0x1001,
    0x2000,
    0x3000,
    0x7FFF,
    0x8000,
    0x8001,
    0xEFFF,
    0xFFFF,
)


def list_patterns() -> NDArray[np.uint32]:
    """List fp32 patterns: every upper half with selected lower halves."""
    upper = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
    return (upper[:, None] | np.array(LOWER_HALVES, dtype=np.uint32)).reshape(-1)


PATTERNS = list_patterns()
VALUES = PATTERNS.view(np.float32)
IS_NAN = np.isnan(VALUES)


def test_fp16_is_the_cast_of_numpy() -> None:
    with np.errstate(all="ignore"):
        cast = VALUES.astype(np.float16).view(np.uint16)
    derived = derive_elements(Derivation.FP16_NEAREST_EVEN, PATTERNS)
    assert np.array_equal(derived[~IS_NAN], cast[~IS_NAN])


def test_a_nan_stays_a_quiet_nan_of_its_sign_and_upper_payload() -> None:
    nans = PATTERNS[IS_NAN]
    halves = derive_elements(Derivation.FP16_NEAREST_EVEN, nans).astype(np.uint32)
    assert np.array_equal(halves >> 15, nans >> 31)
    assert set((halves >> 9 & 0x3F).tolist()) == {0x3F}
    assert np.array_equal(halves & 0x1FF, nans >> 13 & 0x1FF)
    brains = derive_elements(Derivation.BF16_NEAREST_EVEN, nans).astype(np.uint32)
    assert np.array_equal(brains, nans >> 16 | 0x40)


def test_bf16_is_the_nearest_and_even_between_two() -> None:
    finite = PATTERNS[np.isfinite(VALUES)]
    derived = derive_elements(Derivation.BF16_NEAREST_EVEN, finite)
    below = (finite >> 16).astype(np.uint32)
    # In float64 the step above the largest bf16 is a number too: what rounds to it is infinite.
    value = np.abs(finite.view(np.float32).astype(np.float64))
    low = np.abs((below << 16).view(np.float32).astype(np.float64))
    step = np.exp2(np.maximum((below >> 7 & 0xFF).astype(np.float64), 1) - 127 - 7)
    up = (value - low > step / 2) | ((value - low == step / 2) & (below % 2 == 1))
    assert np.array_equal(derived, below + up)


@pytest.mark.parametrize("upper", [0x7F80, 0xFF80, 0x0000, 0x8000])
def test_infinities_and_zeros_stay_what_they_are(upper: int) -> None:
    whole = np.array([upper << 16], dtype=np.uint32)
    assert derive_elements(Derivation.BF16_NEAREST_EVEN, whole).tolist() == [upper]
    half = derive_elements(Derivation.FP16_NEAREST_EVEN, whole).tolist()
    assert half == [{0x7F80: 0x7C00, 0xFF80: 0xFC00}.get(upper, upper)]


def test_truncated_and_lower_half_are_the_halves_of_memory() -> None:
    halves = PATTERNS.astype("<u4").view("<u2").reshape(-1, 2)
    assert np.array_equal(derive_elements(Derivation.LOWER_HALF, PATTERNS), halves[:, 0])
    assert np.array_equal(derive_elements(Derivation.BF16_TRUNCATED, PATTERNS), halves[:, 1])
