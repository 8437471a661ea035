"""From a shard to its frames: reading runs ahead of encoding, encoding ahead of whoever takes the frames."""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass

from weightzip.codec.backend import BlockBackend
from weightzip.codec.background import map_in_order, run_ahead
from weightzip.codec.compare import are_equal
from weightzip.codec.format.data_frame import Piece
from weightzip.codec.format.layout import Layout
from weightzip.codec.frames import EncodedFrame, decode_frame, encode_frame
from weightzip.codec.predecessor import Predecessor, read_pieces
from weightzip.codec.segments import FrameSpan, PredecessorLayout, cut_layout
from weightzip.codec.source import BytesLike, ByteSource
from weightzip.errors import CorruptData, VerificationFailed


@dataclass(frozen=True)
class LoadedSpan:
    """What becomes one frame: its bytes, and those of the predecessor's pieces if it may lean on any."""

    span: FrameSpan
    raw: BytesLike
    predecessor: BytesLike | None


@dataclass(frozen=True)
class _HeldPieces:
    """The predecessor as the proof of one frame sees it: exactly the bytes that were encoded against."""

    reference_bytes: int
    data: BytesLike

    def read_pieces(self, pieces: tuple[Piece, ...], place: str) -> BytesLike:
        return self.data

    def explain_mismatch(self, place: str) -> CorruptData:
        return CorruptData(f"{place}: the predecessor's bytes changed in memory")


def encode_shard(
    source: ByteSource,
    layout: Layout,
    predecessor: Predecessor | None,
    backend: BlockBackend,
    *,
    verify: bool,
    name: str,
) -> Generator[tuple[BytesLike, EncodedFrame], None, None]:
    """Yield (raw bytes, frame) for every frame of the shard, in order.

    Memory: one frame being read, `backend.frames_at_once` being encoded (up to 8 MiB of raw bytes each, as much of the
    predecessor, and up to twice that for the encoded form), two waiting, one being taken. With `verify` each frame
    is decoded and compared before it is yielded.

    Raises:
        VerificationFailed: a frame does not decode to its bytes.
    """

    def encode(item: LoadedSpan) -> tuple[BytesLike, EncodedFrame]:
        frame = encode_frame(item.raw, item.predecessor, item.span.pieces, item.span.dtype, backend)
        if verify:
            held = None
            if predecessor is not None and item.predecessor is not None:
                held = _HeldPieces(predecessor.size_bytes, item.predecessor)
            place = f"{name}: bytes {item.span.offset} to {item.span.offset + item.span.n_bytes}"
            _prove_frame(frame, item.raw, held, backend, place)
        return item.raw, frame

    def encode_all() -> Iterator[tuple[BytesLike, EncodedFrame]]:
        with (
            closing(run_ahead(load_spans(source, layout, predecessor))) as loaded,
            closing(map_in_order(encode, loaded, backend.frames_at_once)) as encoded,
        ):
            yield from encoded

    return run_ahead(encode_all())


def load_spans(source: ByteSource, layout: Layout, predecessor: Predecessor | None) -> Iterator[LoadedSpan]:
    """Yield the spans of a shard, in order."""
    known = None
    if predecessor is not None:
        known = PredecessorLayout(predecessor.size_bytes, predecessor.tensors)
    for span in cut_layout(layout, known):
        yield _load_span(source, span, predecessor)


def _load_span(source: ByteSource, span: FrameSpan, predecessor: Predecessor | None) -> LoadedSpan:
    raw = source.read_at(span.offset, span.n_bytes)
    leaned_on = read_pieces(predecessor, span.pieces) if predecessor is not None and span.pieces else None
    return LoadedSpan(span, raw, leaned_on)


def _prove_frame(
    frame: EncodedFrame, raw: BytesLike, held: _HeldPieces | None, backend: BlockBackend, place: str
) -> None:
    try:
        decoded = decode_frame(frame.body, held, backend, place)
    except CorruptData as error:
        raise VerificationFailed(f"{place}: what was just encoded does not decode ({error})") from error
    if decoded.facts != frame.facts or not are_equal(decoded.raw, raw):
        raise VerificationFailed(f"{place}: what was just encoded decodes to other bytes")
