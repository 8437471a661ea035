"""Cuts a shard into the spans that become frames, and joins each to the predecessor. Pure decisions, no bytes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from weightzip.codec.format.data_frame import Piece
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import Layout, TensorRange
from weightzip.codec.format.limits import MAX_BLOCK_ELEMENTS, MAX_PIECES

# Measured: tables of their own for every 16 blocks instead of 64 save 0.1 % of a bf16 embedding, 0.4 % of an fp32
# one, and cost nothing elsewhere; with 8 the tables begin to eat what they save.
BLOCKS_PER_FRAME = 16
MAX_OPAQUE_SPAN_BYTES = 4 << 20
# Tables cost one to four KB a frame, which small neighbours share. Measured on a model of a million parameters:
# with a predecessor, packing up to 256 KiB instead of 64 KiB saves .002 to .004 of the ratio (the predecessor's
# exponents separate what the tensors do not share), and packing more loses .008 in bf16. Alone it costs .001 to .003.
MAX_PACKED_LEANING_BYTES = 256 << 10
MAX_PACKED_ALONE_BYTES = 64 << 10
# A packed frame is read whole to restore one of its tensors.
MAX_PACK_BYTES = 1 << 20


@dataclass(frozen=True)
class FrameSpan:
    """Bytes of the shard that become one frame, and where their predecessor's bytes are (empty: nowhere)."""

    offset: int
    n_bytes: int
    dtype: DType
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class PredecessorLayout:
    """What the join needs to know of a predecessor."""

    file_bytes: int
    tensors: Mapping[str, TensorRange]


def cut_layout(layout: Layout, predecessor: PredecessorLayout | None) -> Iterator[FrameSpan]:
    """Yield the spans of a shard in order; they tile it."""
    position = 0
    for segment in _group_tensors(layout, predecessor):
        begin, end = segment[0].offset, segment[-1].end
        yield from _cut_glue(position, begin, predecessor)
        yield from _cut_segment(segment, _find_pieces(segment, predecessor))
        position = end
    yield from _cut_glue(position, layout.file_bytes, predecessor)


def _group_tensors(layout: Layout, predecessor: PredecessorLayout | None) -> Iterator[list[TensorRange]]:
    """Yield runs of tensors that share frames: small neighbours of one dtype, or one tensor alone."""
    run: list[TensorRange] = []
    for tensor in layout.tensors:
        if tensor.n_bytes == 0:
            continue
        if run and not _may_join(run, tensor, predecessor):
            yield run
            run = []
        run.append(tensor)
    if run:
        yield run


def _may_join(run: list[TensorRange], tensor: TensorRange, predecessor: PredecessorLayout | None) -> bool:
    first, last = run[0], run[-1]
    leans = find_match(tensor, predecessor) is not None
    max_bytes = MAX_PACKED_LEANING_BYTES if leans else MAX_PACKED_ALONE_BYTES
    return (
        last.end == tensor.offset
        and last.dtype == tensor.dtype
        and max(last.n_bytes, tensor.n_bytes) <= max_bytes
        and tensor.end - first.offset <= MAX_PACK_BYTES
        and len(run) < MAX_PIECES
        and (find_match(first, predecessor) is not None) == leans
    )


def find_match(tensor: TensorRange, predecessor: PredecessorLayout | None) -> TensorRange | None:
    """Return the predecessor's tensor of the same name, dtype and shape, None if it has none."""
    match = predecessor.tensors.get(tensor.name) if predecessor is not None else None
    if match is None or match.dtype != tensor.dtype or match.shape != tensor.shape:
        return None
    return match if match.n_bytes == tensor.n_bytes else None


def _find_pieces(segment: Sequence[TensorRange], predecessor: PredecessorLayout | None) -> tuple[Piece, ...]:
    matches = [find_match(tensor, predecessor) for tensor in segment]
    pieces: list[Piece] = []
    for match in matches:
        if match is None:
            return ()
        if pieces and pieces[-1].offset + pieces[-1].n_bytes == match.offset:
            pieces[-1] = Piece(pieces[-1].offset, pieces[-1].n_bytes + match.n_bytes)
        else:
            pieces.append(Piece(match.offset, match.n_bytes))
    return tuple(pieces)


def _cut_segment(segment: Sequence[TensorRange], pieces: tuple[Piece, ...]) -> Iterator[FrameSpan]:
    offset, n_bytes, dtype = segment[0].offset, segment[-1].end - segment[0].offset, segment[0].dtype
    if len(segment) > 1:
        yield FrameSpan(offset, n_bytes, dtype, pieces)
        return
    block_bytes = MAX_BLOCK_ELEMENTS * dtype.element_bytes
    max_bytes = BLOCKS_PER_FRAME * block_bytes
    if dtype == DType.OPAQUE:
        max_bytes = MAX_OPAQUE_SPAN_BYTES
    for begin, size in _split_evenly(n_bytes, max_bytes, block_bytes):
        span_pieces = tuple(Piece(piece.offset + begin, size) for piece in pieces)  # one tensor, one piece
        yield FrameSpan(offset + begin, size, dtype, span_pieces)


def _cut_glue(begin: int, end: int, predecessor: PredecessorLayout | None) -> Iterator[FrameSpan]:
    """Yield the spans of glue; it leans on the predecessor's bytes at the same offset, where there are any."""
    for position in range(begin, end, MAX_OPAQUE_SPAN_BYTES):
        n_bytes = min(MAX_OPAQUE_SPAN_BYTES, end - position)
        has_bytes = predecessor is not None and position + n_bytes <= predecessor.file_bytes
        yield FrameSpan(position, n_bytes, DType.OPAQUE, (Piece(position, n_bytes),) if has_bytes else ())


def _split_evenly(n_bytes: int, max_bytes: int, block_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield (offset, size) of parts of nearly one size: a small last part would pay for tables of its own."""
    n_parts = -(-n_bytes // max_bytes)
    n_blocks = -(-n_bytes // block_bytes)
    edges = [part * n_blocks // n_parts * block_bytes for part in range(n_parts)] + [n_bytes]
    for begin, end in pairwise(edges):
        yield begin, end - begin
