"""Claims are settled to tensors that are sound, whatever was claimed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightzip.codec.containers.claim import (
    MAX_NAME_BYTES,
    make_claim,
    make_flat_claim,
    move_claim,
    settle_claims,
)
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.format.limits import MAX_TENSORS

FILE_BYTES = 1000


def _claim(name: str, offset: int, n_bytes: int) -> TensorRange:
    return make_flat_claim(name, DType.U8, offset, n_bytes)


def _settle(
    *claims: tuple[str, int, int], storages: tuple[tuple[str, int, int], ...] = ()
) -> list[tuple[str, int, int]]:
    settled = settle_claims(
        [_claim(*claim) for claim in claims], FILE_BYTES, [_claim(*storage) for storage in storages]
    )
    return [(tensor.name, tensor.offset, tensor.n_bytes) for tensor in settled]


def test_claims_are_sorted_and_those_outside_dropped() -> None:
    assert _settle(("b", 500, 10), ("a", 0, 10), ("x", 995, 6), ("empty", 3, 0)) == [
        ("a", 0, 10),
        ("b", 500, 10),
    ]


def test_equals_have_the_first_name() -> None:
    assert _settle(("b", 0, 10), ("a", 0, 10)) == [("a", 0, 10)]


def test_the_larger_goes_first_unless_smaller_ones_cover_it() -> None:
    assert _settle(("all", 0, 30), ("x", 0, 10), ("y", 20, 10)) == [("all", 0, 30)]
    assert _settle(("all", 0, 30), ("x", 0, 10), ("y", 10, 20)) == [("x", 0, 10), ("y", 10, 20)]


def test_what_begins_within_an_earlier_one_is_dropped() -> None:
    assert _settle(("x", 0, 20), ("y", 10, 20)) == [("x", 0, 20)]


def test_storages_fill_what_is_left() -> None:
    storages = (("s", 100, 50), ("t", 200, 50))
    assert _settle(("x", 110, 10), ("y", 140, 10), storages=storages) == [
        ("s.rest", 100, 10),
        ("x", 110, 10),
        ("s.rest#1", 120, 20),
        ("y", 140, 10),
        ("t", 200, 50),
    ]
    assert _settle(("x", 100, 50), storages=storages) == [("x", 100, 50), ("t", 200, 50)]


def test_storages_go_around_what_reaches_into_them() -> None:
    assert _settle(("x", 90, 20), ("y", 140, 20), storages=(("s", 100, 50),)) == [
        ("x", 90, 20),
        ("s.rest", 110, 30),
        ("y", 140, 20),
    ]


def test_names_are_unique_even_where_suffixes_are_names() -> None:
    assert [
        name for name, _, _ in _settle(("x", 0, 1), ("x", 1, 1), ("x#1", 2, 1), ("x", 3, 1), ("x#1", 4, 1))
    ] == [
        "x",
        "x#2",
        "x#1",
        "x#3",
        "x#1#1",
    ]


@pytest.mark.parametrize("name", ["\ud800", "é" * 600, "x" * 5000, ""])
def test_names_can_be_spelled_and_are_short(name: str) -> None:
    for claim in (_claim(name, 0, 1), move_claim(_claim("a", 0, 1), 5, name)):
        assert len(claim.name.encode()) <= MAX_NAME_BYTES


def test_shapes_that_make_no_sense_are_opaque() -> None:
    for shape in [(3,), (1 << 70, 0), (-1, -4), (1,) * 65]:
        claim = make_claim("x", DType.F32, shape, 0, 16)
        assert claim.dtype == DType.OPAQUE
        assert all(0 <= size < 1 << 64 for size in claim.shape) and len(claim.shape) <= 64


def test_of_too_many_the_largest_are_kept() -> None:
    claims = [make_flat_claim(str(number), DType.U8, 10 * number, 1) for number in range(MAX_TENSORS)]
    settled = settle_claims([*claims, make_flat_claim("large", DType.U8, 5, 2)], 10 * MAX_TENSORS)
    assert len(settled) == MAX_TENSORS
    assert settled[1].name == "large"


CLAIMS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "a#1", "a.rest"]), st.integers(0, 60), st.integers(0, 30)),
    max_size=12,
)


@given(CLAIMS, CLAIMS)
def test_what_comes_out_is_sound(
    claims: list[tuple[str, int, int]], storages: list[tuple[str, int, int]]
) -> None:
    settled = settle_claims(
        [_claim(*claim) for claim in claims], 64, [_claim(*storage) for storage in storages]
    )
    assert all(first.end <= second.offset for first, second in pairwise(settled))
    assert all(0 <= tensor.offset < tensor.end <= 64 and tensor.is_consistent for tensor in settled)
    assert len({tensor.name for tensor in settled}) == len(settled)
    covered = {byte for tensor in settled for byte in range(tensor.offset, tensor.end)}
    for _, offset, n_bytes in storages:
        others = [o for o in storages if o != (_, offset, n_bytes)]
        if offset + n_bytes <= 64 and not any(o < offset + n_bytes and offset < o + n for _, o, n in others):
            assert covered >= set(range(offset, offset + n_bytes))
