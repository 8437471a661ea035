"""Threads are shared among the calls in progress, and no byte depends on how many a call gets."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from weightzip.codec.backend import CpuBackend
from weightzip.codec.format.block_group import Transform
from weightzip.codec.recipes.recipe import Recipe

RECIPE = Recipe(4, Transform.ROTATE)
RAW = np.random.default_rng(4).standard_normal(300_000).astype(np.float32).tobytes()


@pytest.mark.parametrize(("n_threads", "expected"), [(1, 1), (3, 3), (64, 8)])
def test_frames_at_once_are_bounded(n_threads: int, expected: int) -> None:
    assert CpuBackend(n_threads).frames_at_once == expected


def test_calls_at_the_same_time_give_the_same_bytes() -> None:
    backend = CpuBackend(4)
    expected = CpuBackend(1).encode_blocks(RAW, None, None, RECIPE)
    with ThreadPoolExecutor(6) as pool:
        groups = list(pool.map(lambda _: backend.encode_blocks(RAW, None, None, RECIPE), range(12)))
    assert set(groups) == {expected}
    restored = memoryview(bytearray(len(RAW)))
    backend.decode_blocks(expected, None, None, restored, "a group")
    assert restored == RAW
