"""Cuts segments into the spans that become frames, each with the pieces that it may lean on. Pure decisions, no bytes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from weightzip.codec.cutting.place import AnyPlace
from weightzip.codec.format.data_frame import OWN, Piece
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.format.limits import MAX_BLOCK_ELEMENTS, MAX_PIECES
from weightzip.codec.recipes.recipe import Section

# Measured: tables of their own for every 16 blocks instead of 64 save 0.1 % of a bf16 embedding, 0.4 % of an fp32
# one, and cost nothing elsewhere; with 8 the tables begin to eat what they save.
BLOCKS_PER_FRAME = 16
MAX_OPAQUE_SPAN_BYTES = 4 << 20
# Tables cost one to four KB a frame, which small neighbours share. Measured on a model of a million parameters:
# with a predecessor, packing up to 256 KiB instead of 64 KiB saves .002 to .004 of the ratio (the predecessor's
# exponents separate what the tensors do not share), and packing more loses .008 in bf16. Alone it costs .001 to .003.
# Second moments lose .002 by it: the tensors of a frame share the weight of the predecessor.
MAX_PACKED_LEANING_BYTES = 256 << 10
MAX_PACKED_ALONE_BYTES = 64 << 10
# A packed frame is read whole to restore one of its tensors.
MAX_PACK_BYTES = 1 << 20
# Rows shorter than this (the taps of a small filter) are taken together with their neighbours.
MIN_COLUMNS = 8


class Run(NamedTuple):
    """Bytes of the shard that stand one after another."""

    offset: int
    n_bytes: int


@dataclass(frozen=True)
class FrameSpan:
    """Bytes of the shard that become one frame, and where the bytes are that it may lean on (empty: nowhere).

    `copy` are pieces that seem to hold the very bytes of the span. `sections`: see list_recipes. `window` is where it
    gathers from, together with others; None if it has one run and its neighbours are those of the shard.
    """

    runs: tuple[Run, ...]
    dtype: DType
    predecessor: tuple[Piece, ...] = ()
    companion: tuple[Piece, ...] = ()
    copy: tuple[Piece, ...] = ()
    sections: tuple[Section, ...] = ()
    window: Run | None = None

    @property
    def offset(self) -> int:
        """Return where its first byte is in the shard."""
        return self.runs[0].offset

    @cached_property
    def n_bytes(self) -> int:
        """Return its size."""
        return sum(run.n_bytes for run in self.runs)


@dataclass(frozen=True)
class TensorInputs:
    """What a tensor may lean on. Second moments are unlike all else: they share no frame with others."""

    predecessor: AnyPlace | None = None
    companion: AnyPlace | None = None
    copy: AnyPlace | None = None
    is_second_moment: bool = False

    @property
    def places(self) -> tuple[AnyPlace, ...]:
        """Return all places that there are."""
        return tuple(place for place in (self.predecessor, self.companion, self.copy) if place is not None)

    @property
    def leans_on_itself(self) -> bool:
        """Return whether any of them lies in the shard itself."""
        return any(OWN in place.references for place in self.places)

    @property
    def form(self) -> tuple[bool, ...]:
        """Return what tensors that share a frame have in common.

        Frames that lean on the shard itself hold nothing that others may lean on.
        """
        return (
            self.predecessor is not None,
            self.companion is not None,
            self.copy is not None,
            self.is_second_moment,
            self.leans_on_itself,
        )


@dataclass(frozen=True)
class GlueSource:
    """The predecessor of the shard as its glue sees it: bytes at the same offsets."""

    reference: int
    file_bytes: int


NOTHING = TensorInputs()


def cut_segment(
    segment: Sequence[TensorRange], inputs: Sequence[TensorInputs], window: Run | None = None
) -> Iterator[FrameSpan]:
    """Yield the spans of tensors of one dtype and form that share a frame, or of one tensor, which may need several."""
    tensor, dtype = segment[0], segment[0].dtype
    if len(segment) > 1:
        parts = [(0, tensor.n_bytes) for tensor in segment]
        yield _make_span(segment, inputs, parts, window)
        return
    block_bytes = MAX_BLOCK_ELEMENTS * dtype.element_bytes
    max_bytes = MAX_OPAQUE_SPAN_BYTES if dtype == DType.OPAQUE else BLOCKS_PER_FRAME * block_bytes
    for part in _split_evenly(tensor.n_bytes, max_bytes, block_bytes):
        yield _make_span(segment, inputs, [part], window)


def _make_span(
    segment: Sequence[TensorRange],
    inputs: Sequence[TensorInputs],
    parts: Sequence[tuple[int, int]],
    window: Run | None,
) -> FrameSpan:
    """Return the span of one part (begin, n_bytes) of each tensor."""
    runs = _unite_runs(
        Run(tensor.offset + begin, n_bytes) for tensor, (begin, n_bytes) in zip(segment, parts, strict=True)
    )
    sections = tuple(_make_section(*tensor_and_part) for tensor_and_part in zip(segment, parts, strict=True))
    if not inputs[0].places:  # then none has any: they share a form
        return FrameSpan(runs, segment[0].dtype, sections=sections, window=window)
    return FrameSpan(
        runs,
        segment[0].dtype,
        predecessor=_find_pieces(segment, [given.predecessor for given in inputs], parts),
        companion=_find_pieces(segment, [given.companion for given in inputs], parts),
        copy=_find_pieces(segment, [given.copy for given in inputs], parts),
        sections=sections,
        window=window,
    )


def _unite_runs(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Return the runs with neighbours as one."""
    united: list[Run] = []
    for run in runs:
        last = united[-1] if united else None
        if last and last.offset + last.n_bytes == run.offset:
            united[-1] = Run(last.offset, last.n_bytes + run.n_bytes)
        else:
            united.append(run)
    return tuple(united)


def _find_pieces(
    segment: Sequence[TensorRange], places: Sequence[AnyPlace | None], parts: Sequence[tuple[int, int]]
) -> tuple[Piece, ...]:
    """Return where the parts' elements lie in other tensors, nothing if that is not known of all; neighbours are one piece."""
    pieces: list[Piece] = []
    for tensor, place, (begin, n_bytes) in zip(segment, places, parts, strict=True):
        if place is None:
            return ()
        scale = place.n_bytes // tensor.n_bytes  # elements there may be larger
        found = place.cut(begin * scale, n_bytes * scale)
        if not found:
            return ()
        for piece in found:
            last = pieces[-1] if pieces else None
            if last and (last.offset + last.n_bytes, last.reference) == (piece.offset, piece.reference):
                pieces[-1] = Piece(last.offset, last.n_bytes + piece.n_bytes, piece.reference)
            else:
                pieces.append(piece)
    return tuple(pieces) if len(pieces) <= MAX_PIECES else ()


def _make_section(tensor: TensorRange, part: tuple[int, int]) -> Section:
    begin, n_elements = (n_bytes // tensor.dtype.element_bytes for n_bytes in part)
    n_columns = _count_columns(tensor.shape)
    if n_columns > n_elements:
        n_columns = 0
    return Section(n_elements, n_columns, begin % n_columns if n_columns else 0)


def _count_columns(shape: tuple[int, ...]) -> int:
    """Return how many elements make a row: the last dimension, or as many as make it wide enough; 0 for one row."""
    n_columns = 1
    for size in reversed(shape[1:]):
        n_columns *= size
        if n_columns >= MIN_COLUMNS:
            return n_columns
    return 0


def cut_glue(begin: int, end: int, source: GlueSource | None) -> Iterator[FrameSpan]:
    """Yield the spans of glue; it leans on the predecessor's bytes at the same offset, where there are any."""
    for position in range(begin, end, MAX_OPAQUE_SPAN_BYTES):
        n_bytes = min(MAX_OPAQUE_SPAN_BYTES, end - position)
        pieces: tuple[Piece, ...] = ()
        if source is not None and position + n_bytes <= source.file_bytes:
            pieces = (Piece(position, n_bytes, source.reference),)
        yield FrameSpan((Run(position, n_bytes),), DType.OPAQUE, predecessor=pieces)


def cut_gathered_glue(pieces: Iterable[Run], window: Run) -> Iterator[FrameSpan]:
    """Yield the spans of all the glue of a window. Between tensors it is of checksums and sizes: it leans on nothing."""
    runs: list[Run] = []
    free_bytes = MAX_OPAQUE_SPAN_BYTES
    for offset, n_bytes in pieces:
        end = offset + n_bytes
        while offset < end:
            taken = min(end - offset, free_bytes)
            runs.append(Run(offset, taken))
            offset += taken
            free_bytes -= taken
            if free_bytes == 0:
                yield FrameSpan(tuple(runs), DType.OPAQUE, window=window)
                runs, free_bytes = [], MAX_OPAQUE_SPAN_BYTES
    if runs:
        yield FrameSpan(tuple(runs), DType.OPAQUE, window=window)


def _split_evenly(n_bytes: int, max_bytes: int, block_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield (offset, size) of parts of nearly one size: a small last part would pay for tables of its own."""
    n_parts = -(-n_bytes // max_bytes)
    n_blocks = -(-n_bytes // block_bytes)
    edges = [part * n_blocks // n_parts * block_bytes for part in range(n_parts)] + [n_bytes]
    for begin, end in pairwise(edges):
        yield begin, end - begin
