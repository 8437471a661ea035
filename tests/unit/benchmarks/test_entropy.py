"""Entropies against sums done by hand, and against what they must never exceed."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.case import Case, Facts, build_case
from benchmarks.entropy import compute_entropies, compute_residuals, count_bits
from benchmarks.shard import RawTensor

F32_BITS = 32


def _bits(*values: float | np.float32) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array(values, "<f4").view("<u4").astype(np.int64)


def test_residuals_count_steps_between_floats_in_zigzag() -> None:
    above, below = np.nextafter(np.float32(1), np.float32(2)), np.nextafter(np.float32(1), np.float32(0))
    found = compute_residuals(_bits(1, above, below), _bits(1, 1, 1), F32_BITS)
    assert found.tolist() == [0, 2, 1]


def test_residuals_cross_zero_in_one_step() -> None:
    least = np.finfo(np.float32).smallest_subnormal
    assert compute_residuals(_bits(least), _bits(-least), F32_BITS).tolist() == [6]


def test_residuals_wrap_around() -> None:
    top = np.array([0xFFFFFFFF])  # the most negative of NaNs: 0 in the order, one below the greatest
    assert compute_residuals(top, np.array([0x7FFFFFFF]), F32_BITS).tolist() == [2]


def test_bits_of_symbols() -> None:
    symbols = np.array([0, 1, 2, 3])
    assert count_bits(symbols, np.zeros(4, np.int64)) == pytest.approx(8)
    assert count_bits(symbols, np.array([0, 0, 1, 1])) == pytest.approx(4)
    assert count_bits(symbols, symbols) == 0
    assert count_bits(np.array([], np.int64), np.array([], np.int64)) == 0


def _make_case(folder: Path, dtype: str, data: bytes, old: bytes | None) -> Case:
    shape = (len(data) // (2 if dtype != "F32" else 4),)
    predecessor = None if old is None else {"w": RawTensor(dtype, shape, old)}
    return build_case(
        folder, Facts("data", dtype, "weights"), {"w": RawTensor(dtype, shape, data)}, predecessor
    )


@pytest.mark.parametrize("dtype", ["BF16", "F32"])
def test_an_unchanged_case_costs_nothing_and_noise_all(tmp_path: Path, dtype: str) -> None:
    noise = np.random.default_rng(1).bytes(400_000)
    same = compute_entropies(_make_case(tmp_path, dtype, noise, noise))
    other = compute_entropies(_make_case(tmp_path, dtype, noise, np.random.default_rng(2).bytes(400_000)))
    assert same == (0, 0)
    assert other is not None
    assert other.given_exponent <= other.order0 <= 1
    assert other.order0 > 0.99


def test_there_is_none_without_predecessor_or_eight_bits_of_exponent(tmp_path: Path) -> None:
    assert compute_entropies(_make_case(tmp_path, "F32", bytes(8), None)) is None
    assert compute_entropies(_make_case(tmp_path, "F16", bytes(8), bytes(8))) is None
