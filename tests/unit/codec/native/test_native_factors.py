"""What the encoder makes of factors and companions: how well it predicts, what it leaves out, and how it estimates."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from support.groups import BLOCK_ELEMENTS
from weightzip.codec import _native

N_ROWS, N_COLUMNS = 300, 250
FACTORS: dict[str, Any] = {"transform": 2, "predictor": 2, "mantissa_bits": 23}
ALONE: dict[str, Any] = {"element_bytes": 4, "max_contexts": 1, "key_shift": 0}
BY_SCALE: dict[str, Any] = {"element_bytes": 4, "max_contexts": 16, "key_shift": 23, "context_input": 3}
# After the four first fields, predictor, context_input and companion_log2 of a group with one context.
WEIGHT_AT = 8


def _make_moments(spread: float, seed: int = 0, n_rows: int = N_ROWS) -> NDArray[np.float32]:
    """Return positive values close to a product of rows and columns; spread is the deviation of their logarithms."""
    rng = np.random.default_rng(7)
    rows, columns = np.exp(rng.standard_normal((n_rows, 1))), np.exp(rng.standard_normal((1, N_COLUMNS)))
    noise = np.exp(spread * np.random.default_rng(seed).standard_normal((n_rows, N_COLUMNS)))
    return (1e-8 * rows * columns * noise).astype(np.float32)


def _encode(
    values: NDArray[np.float32], predecessor: NDArray[np.float32] | None = None, **recipe: Any
) -> bytes:
    before = None if predecessor is None else predecessor.tobytes()
    group = _native.encode_blocks(values.tobytes(), before, None, n_threads=1, **recipe)
    leans = recipe.get("predictor") == 1 or (recipe.get("predictor") == 2 and group[WEIGHT_AT] > 0)
    out = bytearray(values.nbytes)
    _native.decode_blocks(group, before if leans else None, None, out, n_threads=1)
    assert out == values.tobytes()
    return group


def _bits_per_element(group: bytes, values: NDArray[np.float32]) -> float:
    return 8 * len(group) / values.size


def _section(values: NDArray[np.float32]) -> dict[str, Any]:
    return {"sections": [(values.size, N_COLUMNS, 0)]}


def test_factors_find_the_rows_and_columns() -> None:
    values = _make_moments(spread=0.01)
    alone = _bits_per_element(_encode(values, transform=1, **ALONE), values)
    factored = _bits_per_element(_encode(values, **FACTORS, **_section(values), **ALONE), values)
    # A deviation of 1 % leaves 17 of the 23 bits of the mantissa; without factors there are those and an exponent of 3.
    assert factored < 19.5
    assert alone > 24


@pytest.mark.parametrize("first_column", [0, 1, N_COLUMNS - 1])
def test_a_frame_may_begin_and_end_within_a_row(first_column: int) -> None:
    whole = _make_moments(spread=0.01)
    values = whole.ravel()[first_column : first_column + (N_ROWS - 2) * N_COLUMNS + 100]
    group = _encode(values, **FACTORS, sections=[(values.size, N_COLUMNS, first_column)], **ALONE)
    assert _bits_per_element(group, values) < 19.5


@pytest.mark.parametrize(("kept", "weights"), [(0.0, {0}), (0.5, {7, 8, 9}), (1.0, {15, 16})])
def test_the_weight_is_the_share_of_the_predecessor(kept: float, weights: set[int]) -> None:
    product = _make_moments(spread=0)
    before = _make_moments(spread=0.2, seed=1)
    own = _make_moments(spread=0.02, seed=2) / product
    values = (product * (before / product) ** kept * own).astype(np.float32)
    group = _encode(values, before, **FACTORS, **_section(values), **ALONE)
    assert group[WEIGHT_AT] in weights
    assert _encode(values, None, **FACTORS, **_section(values), **ALONE)[WEIGHT_AT] == 0


def test_rows_of_zeros_cost_next_to_nothing_with_contexts_and_bend_no_factor() -> None:
    values = _make_moments(spread=0.01)
    used = values.copy()
    used[::3] = 0
    group = _encode(used, **FACTORS, **_section(used), **BY_SCALE)
    whole = _encode(values, **FACTORS, **_section(values), **ALONE)
    assert len(group) < 0.70 * len(whole)


def test_values_in_several_sections_have_factors_of_their_own() -> None:
    parts = [
        _make_moments(spread=0.01, n_rows=n_rows) * np.float32(scale)
        for n_rows, scale in ((90, 1), (70, 1e5))
    ]
    values = np.concatenate([part.ravel() for part in parts])
    sections = [(part.size, N_COLUMNS, 0) for part in parts]
    apart = _encode(values, **FACTORS, sections=sections, **ALONE)
    assert _bits_per_element(apart, values) < 19.9


@pytest.mark.parametrize("n_rows", [40, 2 * BLOCK_ELEMENTS // N_COLUMNS])
@pytest.mark.parametrize("recipe", [ALONE, BY_SCALE], ids=["alone", "contexts"])
def test_the_estimate_is_near(n_rows: int, recipe: dict[str, Any]) -> None:
    values = _make_moments(spread=0.3, n_rows=n_rows)
    for before in (None, _make_moments(spread=0.3, seed=3, n_rows=n_rows)):
        size = len(_encode(values, before, **FACTORS, **_section(values), **recipe))
        estimate = _native.estimate_blocks(
            values.tobytes(),
            None if before is None else before.tobytes(),
            None,
            **FACTORS,
            **_section(values),
            **recipe,
        )
        assert estimate == pytest.approx(size, rel=0.02, abs=150)


@pytest.mark.parametrize("companion_type", [np.float16, np.float32, np.float64])
def test_contexts_of_a_companion_tell_how_large_values_are(companion_type: Any) -> None:
    rng = np.random.default_rng(5)
    scale = np.exp2(rng.uniform(-8, 8, 100_000))
    raw = (scale * rng.standard_normal(scale.size)).astype(np.float32).tobytes()
    companion = scale.astype(companion_type).tobytes()
    width = np.dtype(companion_type).itemsize
    recipe: dict[str, Any] = {
        "element_bytes": 4,
        "transform": 1,
        "max_contexts": 32,
        "key_shift": {2: 9, 4: 22, 8: 51}[width],
        "context_input": 2,
        "companion_bytes": width,
    }
    group = _native.encode_blocks(raw, None, companion, n_threads=1, **recipe)
    plain = _native.encode_blocks(raw, None, None, n_threads=1, transform=1, **ALONE)
    # The exponent of a normal deviate of known scale has an entropy of 2.1 bits; the scales spread over 16 octaves.
    assert 8 * (len(plain) - len(group)) > 1.5 * scale.size
    out = bytearray(len(raw))
    _native.decode_blocks(group, None, companion, out, n_threads=1)
    assert out == raw
    with pytest.raises(_native.CorruptBlocks, match="needs companion"):
        _native.decode_blocks(group, None, None, out, n_threads=1)
    with pytest.raises(_native.CorruptBlocks, match="as many elements"):
        _native.decode_blocks(group, None, companion[:-width], out, n_threads=1)
    with pytest.raises(_native.CorruptBlocks, match="needs no companion"):
        _native.decode_blocks(plain, None, companion, out, n_threads=1)
