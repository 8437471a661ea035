"""What the encoder makes of scales: contexts of how large rows and columns are, or how far they moved."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from weightzip.codec import _native

N_ROWS, N_COLUMNS = 400, 250
SECTIONS = [(N_ROWS * N_COLUMNS, N_COLUMNS, 0)]
ALONE: dict[str, Any] = {"transform": 1, "max_contexts": 1, "key_shift": 0}
DIFFERENCE: dict[str, Any] = {"transform": 2, "predictor": 1}
MANTISSA_BITS = {2: 10, 4: 23, 8: 52}


def _draw(seed: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).standard_normal((N_ROWS, N_COLUMNS))


def _draw_scales(octaves: float) -> NDArray[np.float64]:
    rng = np.random.default_rng(11)
    return np.exp2(octaves * (rng.standard_normal((N_ROWS, 1)) + rng.standard_normal((1, N_COLUMNS))))


def _by_scales(element_bytes: int, sections: list[tuple[int, int, int]] = SECTIONS) -> dict[str, Any]:
    return {
        "max_contexts": 16,
        "key_shift": MANTISSA_BITS[element_bytes] - 1,
        "context_input": 3,
        "mantissa_bits": MANTISSA_BITS[element_bytes],
        "sections": sections,
    }


def _count_bits(values: NDArray[Any], predecessor: NDArray[Any] | None = None, **recipe: Any) -> float:
    """Return the bits of an element, after the group was decoded."""
    before = None if predecessor is None else predecessor.tobytes()
    recipe["element_bytes"] = values.itemsize
    group = _native.encode_blocks(values.tobytes(), before, None, n_threads=1, **recipe)
    estimate = _native.estimate_blocks(values.tobytes(), before, None, **recipe)
    assert estimate == pytest.approx(len(group), rel=0.05, abs=150)
    out = bytearray(values.nbytes)
    _native.decode_blocks(group, before, None, out, n_threads=1)
    assert out == values.tobytes()
    return 8 * len(group) / values.size


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rows_and_columns_tell_how_large_elements_are(dtype: type[np.floating[Any]]) -> None:
    values = (0.01 * _draw_scales(octaves=1) * _draw(1)).astype(dtype)
    alone = _count_bits(values, **ALONE)
    by_scales = _count_bits(values, **ALONE | _by_scales(values.itemsize))
    # Normal deviates of one size have exponents of 2.1 bits; sizes that spread as much as these make it 2.6.
    assert by_scales < alone - 0.4


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_rows_and_columns_tell_how_far_elements_moved(dtype: type[np.floating[Any]]) -> None:
    start = (0.01 * _draw(1)).astype(dtype)
    moved = (start + 3e-5 * _draw_scales(octaves=1) * _draw(2)).astype(dtype)
    recipe = DIFFERENCE | {"max_contexts": 16, "key_shift": MANTISSA_BITS[start.itemsize], "context_input": 1}
    by_exponent = _count_bits(moved, start, **recipe)
    by_scales = _count_bits(moved, start, **DIFFERENCE | _by_scales(start.itemsize))
    assert by_scales < by_exponent - 0.2


def test_a_frame_may_begin_and_end_within_a_row() -> None:
    values = (0.01 * _draw_scales(octaves=1) * _draw(1)).astype(np.float32).ravel()[7:-9]
    whole = _count_bits(values, **ALONE | _by_scales(4, [(values.size, N_COLUMNS, 7)]))
    other = _count_bits(values, **ALONE | _by_scales(4, [(values.size, N_COLUMNS - 1, 7)]))
    assert whole < other - 0.1


def test_sections_have_scales_of_their_own() -> None:
    values = (_draw(1) * np.repeat([1.0, 1e-3, 30.0, 1e-2], N_ROWS // 4)[:, None]).astype(np.float32)
    quarter = values.size // 4
    sections = [(quarter, 0, 0)] * 4
    assert _count_bits(values, **ALONE | _by_scales(4, sections)) < _count_bits(values, **ALONE) - 0.5


@pytest.mark.parametrize("special", [0.0, np.nan, np.inf, 1e-40, 3e38])
def test_odd_rows_and_columns_bend_nothing_else(special: float) -> None:
    values = (0.01 * _draw_scales(octaves=1) * _draw(1)).astype(np.float32)
    good = _count_bits(values, **ALONE | _by_scales(4))
    values[::7], values[:, 3] = special, special
    assert _count_bits(values, **ALONE | _by_scales(4)) < 0.95 * good


def test_elements_of_one_size_get_no_contexts() -> None:
    values = _draw(1).astype(np.float32)
    recipe = ALONE | _by_scales(4) | {"element_bytes": 4}
    group = _native.encode_blocks(values.tobytes(), None, None, n_threads=1, **recipe)
    assert group == _native.encode_blocks(
        values.tobytes(), None, None, n_threads=1, **ALONE | {"element_bytes": 4}
    )
