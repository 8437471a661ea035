"""Where bytes of the shard are in the frames of an archive: what the index says of both orders, joined."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from weightzip.codec.format.frame_table import Column
from weightzip.codec.format.index import Index
from weightzip.codec.source import BytesLike


class FramePart(NamedTuple):
    """`n_bytes` bytes of a frame, from `first` on, which are those of the shard from `offset` on."""

    frame: int
    first: int
    offset: int
    n_bytes: int


class FrameParts(NamedTuple):
    """Many of them, as columns of int64."""

    frame: Column
    first: Column
    offset: Column
    n_bytes: Column

    def list_frames(self) -> list[int]:
        """Return the numbers of the frames, each once, ascending."""
        numbers: list[int] = np.unique(self.frame).tolist()
        return numbers

    def list_rows(self) -> list[FramePart]:
        """Return one after another."""
        return [FramePart(*row) for row in zip(*(column.tolist() for column in self), strict=True)]


def locate_range(index: Index, offset: int, n_bytes: int) -> FrameParts:
    """Return where n_bytes (1 or more) of the shard from offset are, in the order of the frames."""
    begin, shard, size = _arrange_range(index, offset, n_bytes)
    edges = index.frames.raw_offset
    first_frame = np.searchsorted(edges, begin, side="right") - 1
    n_frames = np.searchsorted(edges, begin + size, side="left") - first_frame
    if len(begin) == 1 and n_frames[0] == 1:
        return FrameParts(first_frame, begin - edges[first_frame], shard, size)
    stretch = np.repeat(np.arange(len(begin)), n_frames)
    frame = np.arange(len(stretch)) - (np.cumsum(n_frames) - n_frames - first_frame)[stretch]
    part_begin = np.maximum(begin[stretch], edges[frame])
    part_end = np.minimum((begin + size)[stretch], edges[frame + 1])
    return FrameParts(
        frame, part_begin - edges[frame], shard[stretch] + part_begin - begin[stretch], part_end - part_begin
    )


def locate_frames(index: Index) -> Callable[[int], tuple[FramePart, ...]]:
    """Return what gives the parts of any frame of an archive that is not empty, by its number."""
    whole = locate_range(index, 0, index.file_bytes)
    edges = np.searchsorted(whole.frame, np.arange(len(index.frames) + 1)).tolist()

    def list_parts(number: int) -> tuple[FramePart, ...]:
        of_frame = slice(edges[number], edges[number + 1])
        return tuple(FrameParts(*(column[of_frame] for column in whole)).list_rows())

    return list_parts


def copy_parts(raw: BytesLike, parts: Iterable[FramePart], out: memoryview, offset: int) -> None:
    """Copy parts of a frame's bytes to where they are wanted: `out` is the shard from `offset` on."""
    view = memoryview(raw)
    for _, first, begin, n_bytes in parts:
        out[begin - offset : begin - offset + n_bytes] = view[first : first + n_bytes]


def _arrange_range(index: Index, offset: int, n_bytes: int) -> tuple[Column, Column, Column]:
    """Return stretches of arranged bytes, ascending: where each begins, where it begins in the shard, its size."""
    runs = index.arrangement
    if len(runs) == 0:
        begin, size = np.array([offset]), np.array([n_bytes])
        return begin, begin, size
    first = int(np.searchsorted(runs.sorted_offset, offset, side="right")) - 1
    last = int(np.searchsorted(runs.sorted_offset, offset + n_bytes, side="left"))
    number = runs.by_offset[first:last]
    if last - first > 1:
        number = np.sort(number)
    run_offset = runs.offset[number]
    shard = np.maximum(run_offset, offset)
    shard_end = np.minimum(run_offset + runs.n_bytes[number], offset + n_bytes)
    return runs.arranged_offset[number] + shard - run_offset, shard, shard_end - shard
