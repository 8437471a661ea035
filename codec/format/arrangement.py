"""The index's columns on the order in which frames hold the shard (docs/format.md, "Arrangement")."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.frame_table import Column, FrameTable
from weightzip.codec.format.limits import MAX_RUNS, MAX_WINDOW_BYTES


@dataclass(frozen=True, eq=False)
class Arrangement:
    """Runs of the shard in the order in which the frames hold them; none if that is the order of the shard.

    Both columns are int64: where each run begins in the shard, and its size.
    """

    offset: Column
    n_bytes: Column

    def __len__(self) -> int:
        return len(self.offset)

    @cached_property
    def arranged_offset(self) -> Column:
        """Return where each run begins among the arranged bytes, and where the last one ends: one more than runs."""
        return _running_sum(self.n_bytes)

    @cached_property
    def by_offset(self) -> Column:
        """Return the numbers of the runs in the order of the shard."""
        return np.argsort(self.offset, kind="stable")

    @cached_property
    def sorted_offset(self) -> Column:
        """Return where the runs begin in the shard, ascending."""
        return self.offset[self.by_offset]

    def find_windows(self, frames: FrameTable) -> Column:
        """Return the numbers of the frames that windows begin with, and the number of frames.

        A window is the shortest stretch of frames that hold the same bytes of the shard as without arrangement.
        """
        edges = frames.raw_offset
        # How far the bytes before an edge reach in the shard: no farther than the edge, or some are of a later place.
        reached = np.maximum.accumulate(np.concatenate([[0], self.offset + self.n_bytes]))
        run = np.maximum(np.searchsorted(self.arranged_offset, edges, side="left") - 1, 0)
        within = np.where(edges > 0, self.offset[run] + edges - self.arranged_offset[run], 0)
        return np.flatnonzero(np.maximum(reached[run], within) == edges)


IN_ORDER = Arrangement(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
"""The arrangement of frames that hold the shard in its own order."""


def build_arrangement(runs: Iterable[tuple[int, int]]) -> Arrangement:
    """Return the arrangement of runs (offset, n_bytes) that tile the shard; neighbours become one run."""
    merged: list[list[int]] = []
    for offset, n_bytes in runs:
        if merged and sum(merged[-1]) == offset:
            merged[-1][1] += n_bytes
        else:
            merged.append([offset, n_bytes])
    if len(merged) < 2:
        return IN_ORDER
    offsets, sizes = np.array(merged, dtype=np.int64).T
    return Arrangement(np.ascontiguousarray(offsets), np.ascontiguousarray(sizes))


def encode_arrangement(arrangement: Arrangement) -> bytes:
    """Return n_runs and the columns."""
    ends = arrangement.offset + arrangement.n_bytes
    gaps = arrangement.offset - np.concatenate([[0], ends])[:-1]
    columns = (gaps.astype("<i8"), arrangement.n_bytes.astype("<u8"))
    return len(arrangement).to_bytes(4, "little") + b"".join(column.tobytes() for column in columns)


def decode_arrangement(cursor: Cursor, file_bytes: int, frames: FrameTable) -> Arrangement:
    """Return the arrangement at the cursor, proven to tile the shard, in windows of a size that a reader can hold."""
    n_runs = cursor.u32("n_runs")
    cursor.expect(n_runs <= MAX_RUNS, f"{n_runs} runs are too many")
    gaps = cursor.column("<i8", n_runs, "gap")
    sizes = cursor.column("<u8", n_runs, "run_bytes")
    if n_runs == 0:
        return IN_ORDER
    cursor.expect(bool(np.all((sizes > 0) & (sizes <= file_bytes))), "a run's run_bytes is out of range")
    sizes = sizes.astype(np.int64)
    ends = np.cumsum(sizes.astype(np.uint64))
    # Sizes are below 2^63: a sum that leaves 64 bits is smaller than the one before.
    cursor.expect(
        bool(np.all(ends[1:] > ends[:-1])) and int(ends[-1]) == file_bytes,
        "the runs do not sum to the file's size",
    )
    offsets = np.cumsum(gaps) + _running_sum(sizes)[:-1]  # modulo 2^64: what is too large tiles nothing
    arrangement = Arrangement(offsets, sizes)
    expected = _running_sum(sizes[arrangement.by_offset])[:-1]
    cursor.expect(bool(np.array_equal(arrangement.sorted_offset, expected)), "the runs do not tile the shard")
    edges = frames.raw_offset[arrangement.find_windows(frames)]
    cursor.expect(bool(np.all(np.diff(edges) <= MAX_WINDOW_BYTES)), "a window is too large")
    return arrangement


def _running_sum(column: Column) -> Column:
    return np.concatenate([[0], np.cumsum(column, dtype=np.int64)]).astype(np.int64, copy=False)
