"""Deriving 2-byte elements from fp32: what is refused, and the usual casts. Every kind of number is tried in C++."""

import numpy as np
import pytest

from weightzip.codec import _native

BF16, BF16_TRUNCATED, FP16, LOWER_HALF = range(4)


def _derive(values: np.ndarray, derivation: int) -> np.ndarray:
    out = np.empty(values.size, dtype="<u2")
    _native.derive(values.tobytes(), out.data, derivation=derivation)
    return out


@pytest.mark.parametrize("n_elements", [0, 1, 31, 1000])
def test_the_halves_of_fp32(n_elements: int) -> None:
    values = np.random.default_rng(1).standard_normal(n_elements).astype(np.float32)
    bits = values.view("<u4")
    assert np.array_equal(_derive(values, BF16_TRUNCATED), bits >> 16)
    assert np.array_equal(_derive(values, LOWER_HALF), bits & 0xFFFF)
    assert np.array_equal(_derive(values, FP16), values.astype("<f2").view("<u2"))
    nearest = (_derive(values, BF16).astype("<u4") << 16).view("<f4")
    assert np.all(np.abs(nearest - values) <= np.abs(values) * 2.0**-8)


@pytest.mark.parametrize(
    ("companion_bytes", "out_bytes", "derivation", "message"),
    [
        (8, 4, 4, "derivation"),
        (4, 3, 0, "whole elements"),
        (8, 2, 0, "twice as long"),
        (4, 4, 0, "twice as long"),
    ],
)
def test_what_does_not_fit_is_refused(
    companion_bytes: int, out_bytes: int, derivation: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        _native.derive(bytes(companion_bytes), bytearray(out_bytes), derivation=derivation)
