"""The arrangement in the index: symmetric, proven on reading, in windows that a reader can hold."""

import numpy as np
import pytest

from weightzip.codec.format.arrangement import (
    IN_ORDER,
    Arrangement,
    build_arrangement,
    decode_arrangement,
    encode_arrangement,
)
from weightzip.codec.format.block_group import Transform
from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.data_frame import Method
from weightzip.codec.format.frame_table import FrameFacts, FrameRow, FrameTable, build_frame_table
from weightzip.codec.format.limits import MAX_RUNS, MAX_WINDOW_BYTES
from weightzip.errors import CorruptData, TruncatedData

MIB = 1 << 20
RUNS = [(10, 5), (0, 10), (15, 5), (40, 10), (20, 20)]
"""Of 50 bytes: two windows, [0, 20) with its bytes in another order and [20, 50) with two stretches exchanged."""


def _make_frames(*sizes: int) -> FrameTable:
    facts = [FrameFacts(size, Method.STORED, Transform.IDENTITY, 0) for size in sizes]
    return build_frame_table([FrameRow(0, 100, fact) for fact in facts])


def _decode(data: bytes, frames: FrameTable, file_bytes: int = 50) -> Arrangement:
    cursor = Cursor(data, "x")
    arrangement = decode_arrangement(cursor, file_bytes, frames)
    cursor.finish("it")
    return arrangement


def _make(runs: list[tuple[int, int]]) -> Arrangement:
    """Return an arrangement of runs that need not tile anything."""
    return Arrangement(*np.array(runs, dtype=np.int64).T)


def test_what_is_encoded_is_decoded() -> None:
    arrangement = build_arrangement(RUNS)
    decoded = _decode(encode_arrangement(arrangement), _make_frames(20, 30))
    assert decoded.offset.tolist() == [offset for offset, _ in RUNS]
    assert decoded.n_bytes.tolist() == [n_bytes for _, n_bytes in RUNS]
    assert decoded.arranged_offset.tolist() == [0, 5, 15, 20, 30, 50]
    assert decoded.sorted_offset.tolist() == [0, 10, 15, 20, 40]


def test_order_takes_no_runs() -> None:
    assert build_arrangement([(0, 10), (10, 1), (11, 30)]) is IN_ORDER
    assert build_arrangement([]) is IN_ORDER
    assert encode_arrangement(IN_ORDER) == bytes(4)
    assert _decode(bytes(4), _make_frames(50)) is IN_ORDER
    assert _decode(bytes(4), _make_frames(), 0) is IN_ORDER


def test_neighbours_become_one_run() -> None:
    built = build_arrangement([(10, 5), (15, 5), (0, 4), (4, 6)])
    assert built.offset.tolist() == [10, 0]
    assert built.n_bytes.tolist() == [10, 10]


@pytest.mark.parametrize(
    ("sizes", "edges"),
    [
        ((20, 30), [0, 1, 2]),
        ((50,), [0, 1]),
        ((5, 10, 5, 10, 20), [0, 2, 3, 5]),
        ((15, 35), [0, 1, 2]),
        ((16, 2, 2, 1, 29), [0, 1, 2, 3, 5]),
        ((14, 36), [0, 2]),
    ],
)
def test_windows_are_the_shortest_stretches_of_frames_with_the_same_bytes(
    sizes: tuple[int, ...], edges: list[int]
) -> None:
    assert build_arrangement(RUNS).find_windows(_make_frames(*sizes)).tolist() == edges


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([(10, 5), (0, 10), (15, 5), (40, 10), (20, 21)], "do not sum"),
        ([(10, 5), (0, 10), (15, 5), (40, 10), (20, 19)], "do not sum"),
        ([(10, 5), (0, 10), (15, 5), (40, 10), (21, 20)], "do not tile"),
        ([(10, 5), (0, 10), (10, 5), (40, 10), (20, 20)], "do not tile"),
        ([(-10, 5), (0, 10), (10, 5), (40, 10), (20, 20)], "do not tile"),
        ([(0, 25), (0, 25)], "do not tile"),
        ([(25, 25), (25, 25)], "do not tile"),
        ([(0, 50), (50, 0)], "run_bytes is out of range"),
        ([(0, 51)], "run_bytes is out of range"),
        ([(0, -1), (0, 51)], "run_bytes is out of range"),
    ],
)
def test_runs_that_do_not_cover_the_shard_once_are_rejected(
    runs: list[tuple[int, int]], message: str
) -> None:
    with pytest.raises(CorruptData, match=message):
        _decode(encode_arrangement(_make(runs)), _make_frames(50))


def test_sums_that_leave_64_bits_are_rejected() -> None:
    huge = (1 << 63) - 1
    gaps, sizes = np.zeros(3, "<i8"), np.array([huge, huge, 4], "<u8")
    data = (3).to_bytes(4, "little") + gaps.tobytes() + sizes.tobytes()
    with pytest.raises(CorruptData, match="do not sum"):
        _decode(data, _make_frames(2), huge)
    gaps = np.array([-(1 << 63), huge, 1], "<i8")
    data = (3).to_bytes(4, "little") + gaps.tobytes() + np.array([1, 1, 48], "<u8").tobytes()
    with pytest.raises(CorruptData, match="do not tile"):
        _decode(data, _make_frames(50))


def test_sizes_are_compared_before_memory_is_taken() -> None:
    with pytest.raises(CorruptData, match="runs are too many"):
        _decode((MAX_RUNS + 1).to_bytes(4, "little"), _make_frames(50))
    with pytest.raises(TruncatedData):
        _decode(MAX_RUNS.to_bytes(4, "little"), _make_frames(50))


def test_windows_that_are_too_large_are_rejected() -> None:
    half = MAX_WINDOW_BYTES // 2
    fits = build_arrangement([(half, half), (0, half)])
    _decode(encode_arrangement(fits), _make_frames(half, half), 2 * half)
    large = build_arrangement([(half, half + 1), (0, half)])
    with pytest.raises(CorruptData, match="a window is too large"):
        _decode(encode_arrangement(large), _make_frames(half, half, 1), 2 * half + 1)
    # The same stretch of any length in order is no window.
    after = build_arrangement([(1, 1), (0, 1), (2, 8 * half)])
    _decode(encode_arrangement(after), _make_frames(2, *[half] * 8), 8 * half + 2)


def test_regular_runs_take_few_bytes() -> None:
    from weightzip.codec.zstd import compress_zstd

    runs = [(256 * number, 252) for number in range(70_000)] + [
        (256 * number + 252, 4) for number in range(70_000)
    ]
    assert len(compress_zstd(encode_arrangement(build_arrangement(runs)))) < 1000
