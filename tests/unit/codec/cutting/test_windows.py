"""Windows: they tile the shard, hold tensors whole, and are arranged where glue and tensors take turns."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from weightzip.codec.cutting.windows import MAX_PLANNED_BYTES, MIN_GLUE_PIECES, Window, plan_windows
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange

MIB = 1 << 20


def _make_layout(sizes: list[tuple[int, int]], rest_bytes: int = 0) -> Layout:
    """Return a layout of tensors of (bytes of glue before it, its bytes)."""
    position, tensors = 0, []
    for number, (glue_bytes, n_bytes) in enumerate(sizes):
        position += glue_bytes
        tensors.append(TensorRange(str(number), DType.U8, (n_bytes,), position, n_bytes))
        position += n_bytes
    return Layout(ContainerKind.TORCH_ZIP, position + rest_bytes, tuple(tensors))


def _plan(layout: Layout) -> list[Window]:
    windows = plan_windows(layout)
    edges = [0, *(window.end for window in windows)]
    assert [window.begin for window in windows] == edges[:-1]
    assert edges[-1] == layout.file_bytes
    held = [tensor for window in windows for tensor in window.tensors]
    assert held == [tensor for tensor in layout.tensors if tensor.n_bytes]
    for window in windows:
        assert all(window.begin <= tensor.offset and tensor.end <= window.end for tensor in window.tensors)
        assert window.end - window.begin <= MAX_PLANNED_BYTES or not window.is_arranged
    assert not any(first.is_arranged is second.is_arranged is False for first, second in pairwise(windows))
    return windows


def test_glue_in_front_alone_is_left_there() -> None:
    layout = _make_layout([(100, 10), (0, 40 * MIB), (0, 10)])
    assert _plan(layout) == [Window(0, layout.file_bytes, layout.tensors, is_arranged=False)]


def test_an_empty_shard_has_no_window() -> None:
    assert _plan(_make_layout([])) == []


def test_a_few_pieces_of_glue_are_left_where_they_are() -> None:
    assert MIN_GLUE_PIECES == 3
    assert [window.is_arranged for window in _plan(_make_layout([(9, 9)], 9))] == [False]
    assert [window.is_arranged for window in _plan(_make_layout([(9, 9), (9, 9)], 9))] == [True]


def test_windows_are_as_large_as_they_may_be() -> None:
    layout = _make_layout([(MIB, 3 * MIB)] * 9)
    assert [window.end for window in _plan(layout)] == [16 * MIB, 32 * MIB, 36 * MIB]
    assert [window.is_arranged for window in _plan(layout)] == [True, True, False]


def test_a_tensor_that_is_larger_than_a_window_parts_others() -> None:
    layout = _make_layout([(1, 1)] * 3 + [(1, 40 * MIB)] * 2 + [(1, 1)] * 3)
    first, large, last = _plan(layout)
    assert (first.end, first.is_arranged) == (layout.tensors[3].offset, True)
    assert ([tensor.name for tensor in large.tensors], large.is_arranged) == (["3", "4"], False)
    assert (last.begin, last.is_arranged) == (layout.tensors[5].offset - 1, True)


def test_glue_is_told_piece_by_piece() -> None:
    (window,) = _plan(_make_layout([(5, 10), (0, 10), (7, 0), (0, 4)], 3))
    assert list(window.list_glue()) == [(0, 5), (25, 32), (36, 39)]


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 50)), max_size=40),
    st.integers(0, 40),
)
def test_any_layout(sizes: list[tuple[int, int]], rest: int) -> None:
    _plan(_make_layout([(glue * MIB, size * MIB) for glue, size in sizes], rest * MIB))
