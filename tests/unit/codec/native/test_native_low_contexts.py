"""Planes below the top one in the context of its bytes: taken where they save bytes, and only where they are allowed."""

from typing import Any

import numpy as np
import pytest

from weightzip.codec import _native

ROTATE: dict[str, Any] = {"transform": 1, "max_contexts": 1, "key_shift": 0}
N_LOW_CONTEXTS_AT = 7  # of a recipe without contexts and factors
N_ELEMENTS = 150_000


def _make_narrow(element_bytes: int) -> bytes:
    """Return elements whose second byte spreads the less, the larger the first one is."""
    rng = np.random.default_rng(2)
    elements = rng.integers(0, 256, (N_ELEMENTS, element_bytes), dtype=np.uint8)
    top = elements[:, -1] & 7
    elements[:, -2] >>= top
    elements[:, -1] = top
    return elements.tobytes()


def _encode(raw: bytes, element_bytes: int, **recipe: Any) -> bytes:
    recipe = {"transform": 0, "max_contexts": 1, "key_shift": 0} | recipe
    group = _native.encode_blocks(raw, None, None, element_bytes=element_bytes, n_threads=1, **recipe)
    for kernels in _native.list_kernels():
        out = bytearray(len(raw))
        _native.decode_blocks(group, None, None, out, n_threads=2, kernels=kernels)
        assert out == raw
    return group


@pytest.mark.parametrize("element_bytes", [2, 4, 8])
def test_the_top_plane_tells_of_the_next(element_bytes: int) -> None:
    raw = _make_narrow(element_bytes)
    plain = _encode(raw, element_bytes)
    group = _encode(raw, element_bytes, max_low_contexts=8)
    assert (plain[N_LOW_CONTEXTS_AT], group[N_LOW_CONTEXTS_AT]) == (0, 8)
    # Eight shifts leave 8, 7, ... 1 bits: 4.5 in the mean. Their mixture has an entropy of 5.9.
    assert 8 * (len(plain) - len(group)) > 1.2 * N_ELEMENTS


def test_there_are_no_more_than_asked_for() -> None:
    raw = _make_narrow(2)
    sizes = {wanted: _encode(raw, 2, max_low_contexts=wanted) for wanted in (0, 1, 2, 4, 32)}
    assert [group[N_LOW_CONTEXTS_AT] for group in sizes.values()] == [0, 0, 2, 4, 8]
    assert sizes[0] == sizes[1]
    assert len(sizes[32]) < len(sizes[4]) < len(sizes[2]) < len(sizes[0])


def test_planes_that_the_top_one_says_nothing_of_do_without() -> None:
    raw = np.random.default_rng(3).standard_normal(N_ELEMENTS).astype(np.float16).tobytes()
    assert _encode(raw, 2, max_low_contexts=8) == _encode(raw, 2)
    one_plane = np.random.default_rng(3).integers(0, 9, 5000, dtype=np.uint8).tobytes()
    assert _encode(one_plane, 1, max_low_contexts=8) == _encode(one_plane, 1)


def test_the_bytes_depend_on_neither_threads_nor_kernels() -> None:
    raw = _make_narrow(4)
    groups = {
        _native.encode_blocks(
            raw,
            None,
            None,
            element_bytes=4,
            n_threads=n_threads,
            kernels=kernels,
            max_low_contexts=8,
            **ROTATE,
        )
        for n_threads in (1, 3)
        for kernels in _native.list_kernels()
    }
    assert len(groups) == 1


def test_more_than_the_format_has_are_refused() -> None:
    with pytest.raises(ValueError, match="max_low_contexts"):
        _native.encode_blocks(
            bytes(8), None, None, element_bytes=2, n_threads=1, max_low_contexts=33, **ROTATE
        )
