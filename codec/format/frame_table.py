"""The index's columns on frames (docs/format.md, "Index frame body")."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from weightzip.codec.format.block_group import Transform
from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.data_frame import OWN_BIT, Method
from weightzip.codec.format.frame import FRAME_HEADER_BYTES
from weightzip.codec.format.header import MIN_HEADER_BYTES, REFERENCE_BYTES
from weightzip.codec.format.limits import MAX_FRAME_BODY_BYTES, MAX_FRAME_RAW_BYTES, MAX_REFERENCES

Column = npt.NDArray[Any]

_TYPES = {
    "archive_offset": "<u8",
    "frame_bytes": "<u4",
    "raw_bytes": "<u4",
    "method": "<u1",
    "transform": "<u1",
    "leans_on": "<u2",
}


class FrameFacts(NamedTuple):
    """What a frame itself says that the index repeats.

    `leans_on` has a bit for every reference that one of its pieces has, and OWN_BIT for the shard itself.
    """

    raw_bytes: int
    method: Method
    transform: Transform
    leans_on: int


class FrameRow(NamedTuple):
    """One row of the table."""

    archive_offset: int
    frame_bytes: int
    facts: FrameFacts


@dataclass(frozen=True, eq=False)
class FrameTable:
    """One row per data frame, in the order in which they stand."""

    archive_offset: Column
    frame_bytes: Column
    raw_bytes: Column
    method: Column
    transform: Column
    leans_on: Column

    def __len__(self) -> int:
        return len(self.archive_offset)

    @cached_property
    def raw_offset(self) -> Column:
        """Return where each frame's bytes begin, and where the last one ends: one more than frames.

        That is in the shard, unless it is arranged: see placement. Signed, as the offsets that are looked up in it.
        """
        return _running_sum(self.raw_bytes).astype(np.int64)

    def row(self, number: int) -> FrameRow:
        """Return one row; the method and transform of a decoded table are known to be valid."""
        facts = FrameFacts(
            int(self.raw_bytes[number]),
            Method(self.method[number]),
            Transform(self.transform[number]),
            int(self.leans_on[number]),
        )
        return FrameRow(int(self.archive_offset[number]), int(self.frame_bytes[number]), facts)

    def begin(self, index_offset: int) -> int:
        """Return where the frames begin in the archive, which is the size of its header."""
        return int(self.archive_offset[0]) if len(self) else index_offset

    @cached_property
    def leans_on_itself(self) -> Column:
        """Return for each frame whether it leans on bytes of the shard itself."""
        marked: Column = self.leans_on >> OWN_BIT != 0
        return marked

    def list_references(self) -> list[int]:
        """Return the numbers of the header's references that frames lean on."""
        return list_references(int(np.bitwise_or.reduce(self.leans_on, initial=0)))

    def find(self, offset: int, n_bytes: int) -> range:
        """Return the numbers of the frames that hold n_bytes (1 or more) from offset, counted as in raw_offset."""
        first = int(np.searchsorted(self.raw_offset, offset, side="right")) - 1
        last = int(np.searchsorted(self.raw_offset, offset + n_bytes, side="left"))
        return range(first, last)


def list_references(leans_on: int) -> list[int]:
    """Return the numbers of the header's references that are marked in `leans_on`."""
    return [number for number in range(MAX_REFERENCES) if leans_on >> number & 1]


def build_frame_table(rows: Sequence[FrameRow]) -> FrameTable:
    """Return the table with these rows."""
    flat = [(row.archive_offset, row.frame_bytes, *row.facts) for row in rows]
    columns = np.array(flat, dtype=np.uint64).reshape(-1, len(_TYPES)).T
    return FrameTable(*columns)


def encode_frame_table(table: FrameTable) -> bytes:
    """Return n_frames and the columns."""
    columns = [
        getattr(table, column.name).astype(_TYPES[column.name], copy=False) for column in fields(table)
    ]
    return len(table).to_bytes(4, "little") + b"".join(column.tobytes() for column in columns)


def decode_frame_table(cursor: Cursor, file_bytes: int, index_offset: int) -> FrameTable:
    """Return the table at the cursor, proven to tile the shard, and the archive from its header to index_offset."""
    n_frames = cursor.u32("n_frames")
    table = FrameTable(**{name: cursor.column(dtype, n_frames, name) for name, dtype in _TYPES.items()})
    _check_tiling(cursor, table, file_bytes, index_offset)
    _check_values(cursor, table)
    return table


def _check_tiling(cursor: Cursor, table: FrameTable, file_bytes: int, index_offset: int) -> None:
    cursor.expect(
        bool(np.all((table.raw_bytes > 0) & (table.raw_bytes <= MAX_FRAME_RAW_BYTES))),
        "a frame's raw_bytes is out of range",
    )
    max_frame_bytes = FRAME_HEADER_BYTES + MAX_FRAME_BODY_BYTES
    cursor.expect(
        bool(np.all((table.frame_bytes > FRAME_HEADER_BYTES) & (table.frame_bytes <= max_frame_bytes))),
        "a frame's frame_bytes is out of range",
    )
    cursor.expect(int(table.raw_offset[-1]) == file_bytes, "the frames do not sum to the file's size")
    n_references, beyond = divmod(table.begin(index_offset) - MIN_HEADER_BYTES, REFERENCE_BYTES)
    cursor.expect(
        0 <= n_references <= MAX_REFERENCES and beyond == 0, "the first frame does not follow the header"
    )
    # That the header says so of the shard itself, whoever reads it checks.
    cursor.expect(
        bool(np.all(table.leans_on & ((1 << OWN_BIT) - 1) < 1 << n_references)),
        "a frame leans on a reference, the header names none",
    )
    offsets = _running_sum(table.frame_bytes) + np.uint64(table.begin(index_offset))
    cursor.expect(
        int(offsets[-1]) == index_offset and bool(np.array_equal(offsets[:-1], table.archive_offset)),
        "the frames do not stand back to back between header and index",
    )


def _check_values(cursor: Cursor, table: FrameTable) -> None:
    cursor.expect(bool(np.all(table.method <= max(Method))), "a frame's method is reserved")
    cursor.expect(
        bool(np.all(table.transform <= Transform.INTEGER_DIFFERENCE)), "a frame's transform is reserved"
    )
    cursor.expect(
        bool(np.all((table.transform == 0) | (table.method == Method.BLOCKS))),
        "a frame without blocks has a transform",
    )
    must_lean = (table.method == Method.IDENTICAL) | (table.method == Method.DERIVED)
    cursor.expect(
        bool(np.all((table.leans_on > 0) | ~must_lean)), "an identical or derived frame must lean on a file"
    )
    cursor.expect(
        bool(np.all((table.leans_on == 0) | (table.method >= Method.IDENTICAL))),
        "a frame that leans on nothing says that it does",
    )


def _running_sum(column: Column) -> Column:
    sums = np.zeros(len(column) + 1, dtype=np.uint64)
    np.cumsum(column, dtype=np.uint64, out=sums[1:])
    return sums
