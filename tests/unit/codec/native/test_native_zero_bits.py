"""Elements that hold values of a narrower type: coded as small as in that type, and found out by their zero bits."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from support.groups import EVERY_KERNEL_SET
from support.recipe_jobs import add_elements, make_corners
from weightzip.codec import _native
from weightzip.codec.reference import decode_block_group

ALONE: dict[str, Any] = {"transform": 1, "max_contexts": 1}
DIFFERENCE: dict[str, Any] = {"transform": 2, "predictor": 1, "context_input": 1, "max_contexts": 16}
N_ELEMENTS = 150_000


def _encode(
    raw: bytes, predecessor: bytes | None, element_bytes: int, key_shift: int, recipe: dict[str, Any]
) -> bytes:
    """Return the group after it was decoded with every set of kernels."""
    group = _native.encode_blocks(
        raw, predecessor, None, element_bytes=element_bytes, key_shift=key_shift, n_threads=1, **recipe
    )
    for kernels in _native.list_kernels():
        out = bytearray(len(raw))
        _native.decode_blocks(group, predecessor, None, out, n_threads=2, kernels=kernels)
        assert out == raw
    return group


def _make_weights() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    rng = np.random.default_rng(31)
    start = 0.02 * rng.standard_normal(N_ELEMENTS)
    moved = start + 1e-4 * rng.standard_normal(N_ELEMENTS)
    return start.astype(np.float32), moved.astype(np.float32)


def _cut_bf16(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    upper: NDArray[np.uint16] = (values.view("<u4") >> np.uint32(16)).astype("<u2")
    return upper


def _widen_bf16(values: NDArray[np.float32]) -> bytes:
    return (_cut_bf16(values).astype("<u4") << np.uint32(16)).tobytes()


def test_bf16_values_in_fp32_take_what_they_take_in_bf16() -> None:
    start, moved = _make_weights()
    narrow = [_cut_bf16(values).tobytes() for values in (start, moved)]
    wide = [_widen_bf16(values) for values in (start, moved)]
    for recipe, n_inputs in ((ALONE, 0), (DIFFERENCE, 1)):
        small = _encode(narrow[1], narrow[0] if n_inputs else None, 2, 7, recipe)
        large = _encode(wide[1], wide[0] if n_inputs else None, 4, 23, recipe)
        assert len(large) < 1.002 * len(small)


def test_fp16_values_in_fp32_take_what_they_take_in_fp16() -> None:
    start, moved = (values.astype(np.float16) for values in _make_weights())
    small = _encode(moved.tobytes(), start.tobytes(), 2, 10, DIFFERENCE)
    wide = [values.astype(np.float32).tobytes() for values in (start, moved)]
    # A little more: fp32 has no denormals where fp16 has.
    assert len(_encode(wide[1], wide[0], 4, 23, DIFFERENCE)) < 1.02 * len(small)


def test_one_element_of_full_width_is_enough_to_code_them_all() -> None:
    start, moved = _make_weights()
    raw = bytearray(_widen_bf16(moved))
    raw[4 * 77_777] = 1
    _encode(bytes(raw), _widen_bf16(start), 4, 23, DIFFERENCE)


def test_a_predecessor_of_full_width_may_have_bits_below() -> None:
    start, moved = _make_weights()
    group = _encode(_widen_bf16(moved), start.tobytes(), 4, 23, DIFFERENCE)
    assert len(group) < 1.05 * len(_encode(_widen_bf16(moved), _widen_bf16(start), 4, 23, DIFFERENCE))


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
@pytest.mark.parametrize("element_bytes", [1, 2, 4, 8])
@pytest.mark.parametrize("recipe", [ALONE, DIFFERENCE, DIFFERENCE | {"transform": 3}], ids=str)
def test_every_number_of_zero_bits(element_bytes: int, recipe: dict[str, Any], kernels: str) -> None:
    """With zeros of both signs, denormals, infinities and NaN payloads, and at every length."""
    dtype = np.dtype(f"<u{element_bytes}")
    for n_elements in range(1, 1001, 3):
        zero_bits = dtype.type(n_elements % (8 * element_bytes))
        predecessor = make_corners(n_elements, element_bytes, 1)
        moved = add_elements(predecessor, make_corners(n_elements, element_bytes, 2), element_bytes)
        raw = (np.frombuffer(moved, dtype) >> zero_bits << zero_bits).tobytes()
        given = predecessor if recipe["max_contexts"] > 1 else None
        wishes = recipe | {"element_bytes": element_bytes, "key_shift": 8 * element_bytes - 4, "n_threads": 1}
        group = _native.encode_blocks(raw, given, None, **wishes, kernels=kernels)
        leans = given if recipe["max_contexts"] > 1 else None
        out = bytearray(len(raw))
        _native.decode_blocks(group, leans, None, out, n_threads=1, kernels=kernels)
        assert out == raw
        assert decode_block_group(group, len(raw), predecessor=leans) == raw
