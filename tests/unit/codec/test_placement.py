"""Where bytes of the shard are in the frames: compared, byte by byte, with what the runs say."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightzip.codec.format.arrangement import build_arrangement
from weightzip.codec.format.block_group import Transform
from weightzip.codec.format.data_frame import Method
from weightzip.codec.format.frame_table import FrameFacts, FrameRow, build_frame_table
from weightzip.codec.format.index import Index
from weightzip.codec.format.layout import ContainerKind, Layout
from weightzip.codec.placement import FramePart, copy_parts, locate_frames, locate_range


def _make_index(runs: list[tuple[int, int]], frame_sizes: list[int]) -> Index:
    rows = [FrameRow(0, 1, FrameFacts(size, Method.STORED, Transform.IDENTITY, 0)) for size in frame_sizes]
    layout = Layout(ContainerKind.OPAQUE, sum(frame_sizes), ())
    return Index(bytes(32), layout, build_frame_table(rows), build_arrangement(runs))


def _cut(n_bytes: int, edges: list[int]) -> list[tuple[int, int]]:
    """Return stretches (offset, n_bytes) between edges."""
    cuts = sorted({0, n_bytes, *(edge % n_bytes for edge in edges)})
    return [(begin, end - begin) for begin, end in pairwise(cuts)]


@given(
    st.integers(1, 60),
    st.lists(st.integers(0, 59), max_size=8),
    st.lists(st.integers(0, 59), max_size=8),
    st.randoms(use_true_random=False),
)
def test_every_byte_is_found(
    n_bytes: int, run_edges: list[int], frame_edges: list[int], random: object
) -> None:
    runs = _cut(n_bytes, run_edges)
    random.shuffle(runs)  # type: ignore[attr-defined]
    sizes = [size for _, size in _cut(n_bytes, frame_edges)]
    index = _make_index(runs, sizes)
    shard = bytes(range(n_bytes))
    arranged = b"".join(shard[begin : begin + size] for begin, size in runs)
    ends = np.cumsum(sizes).tolist()
    frames = [arranged[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    for offset in range(n_bytes):
        for size in range(1, n_bytes - offset + 1):
            parts = locate_range(index, offset, size)
            out = memoryview(bytearray(size))
            for part in parts.list_rows():
                assert part.n_bytes > 0
                copy_parts(frames[part.frame], [part], out, offset)
            assert out == shard[offset : offset + size]
            assert sum(parts.n_bytes.tolist()) == size
            assert parts.frame.tolist() == sorted(parts.frame.tolist())
            assert parts.list_frames() == sorted(set(parts.frame.tolist()))
    place = locate_frames(index)
    out = memoryview(bytearray(n_bytes))
    for number, frame in enumerate(frames):
        copy_parts(frame, place(number), out, 0)
    assert out == shard


@pytest.mark.parametrize("runs", [[], [(0, 10)]])
def test_without_arrangement_parts_are_those_of_the_frames(runs: list[tuple[int, int]]) -> None:
    index = _make_index(runs, [4, 6])
    assert locate_range(index, 3, 5).list_rows() == [FramePart(0, 3, 3, 1), FramePart(1, 0, 4, 4)]
