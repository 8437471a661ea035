"""One data frame, from raw bytes to stored bytes and back."""

from dataclasses import dataclass
from typing import Protocol

from weightzip.codec.backend import BlockBackend, BlockDecoder
from weightzip.codec.format.block_group import Transform, decode_recipe_head
from weightzip.codec.format.checksum import compute_checksum
from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.data_frame import (
    DataFrame,
    Method,
    Piece,
    decode_data_frame,
    encode_data_frame,
)
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.frame_table import FrameFacts
from weightzip.codec.recipes.planner import plan_frame
from weightzip.codec.source import BytesLike, allocate
from weightzip.codec.zstd import decompress_zstd
from weightzip.errors import CorruptData, WeightzipError


@dataclass(frozen=True)
class EncodedFrame:
    """A data frame's body, and what the index records of it."""

    body: bytes
    facts: FrameFacts


class PieceReader(Protocol):
    """What a decoder needs to know of the predecessor that the header names."""

    @property
    def reference_bytes(self) -> int:
        """Return the recorded size of the predecessor file."""

    def read_pieces(self, pieces: tuple[Piece, ...], place: str) -> BytesLike:
        """Return the predecessor's bytes of the pieces, concatenated."""

    def explain_mismatch(self, place: str) -> WeightzipError:
        """Return the error to raise when those bytes are not the ones the frame was made against."""


def encode_frame(
    raw: BytesLike,
    predecessor: BytesLike | None,
    pieces: tuple[Piece, ...],
    dtype: DType,
    backend: BlockBackend,
) -> EncodedFrame:
    """Return the smallest frame for raw. `predecessor` holds the bytes of `pieces`, as many as raw, or is None."""
    plan = plan_frame(raw, predecessor, dtype, backend)
    leaned_on = predecessor if plan.uses_predecessor else None
    frame = DataFrame(
        method=plan.method,
        raw_bytes=len(raw),
        raw_checksum=compute_checksum(raw),
        pieces=pieces if leaned_on is not None else (),
        predecessor_checksum=compute_checksum(leaned_on) if leaned_on is not None else None,
        rest=plan.rest,
    )
    facts = FrameFacts(len(raw), plan.method, plan.transform, plan.uses_predecessor)
    return EncodedFrame(encode_data_frame(frame), facts)


@dataclass(frozen=True)
class DecodedFrame:
    """The bytes a data frame restores, and what the index should have recorded of it."""

    raw: BytesLike
    facts: FrameFacts


def decode_frame(
    body: BytesLike, predecessor: PieceReader | None, decoder: BlockDecoder, place: str
) -> DecodedFrame:
    """Return what a data frame's body restores, proven by its checksum.

    `predecessor` is None if the header names no reference.

    Raises:
        CorruptData: the body contradicts the format or its checksum.
        MissingPredecessor, WrongPredecessor: the bytes it leans on are not there, or not those it was made against.
    """
    reference_bytes = predecessor.reference_bytes if predecessor is not None else None
    frame = decode_data_frame(body, reference_bytes, place)
    leaned_on = None
    if frame.predecessor_checksum is not None and predecessor is not None:
        leaned_on = predecessor.read_pieces(frame.pieces, place)
        if compute_checksum(leaned_on) != frame.predecessor_checksum:
            raise predecessor.explain_mismatch(place)
    raw, transform = _restore(frame, leaned_on, decoder, place)
    if compute_checksum(raw) != frame.raw_checksum:
        raise CorruptData(f"{place}: the restored bytes do not match their checksum")
    return DecodedFrame(raw, FrameFacts(len(raw), frame.method, transform, leaned_on is not None))


def _restore(
    frame: DataFrame, predecessor: BytesLike | None, decoder: BlockDecoder, place: str
) -> tuple[BytesLike, Transform]:
    if frame.method == Method.BLOCKS:
        return _restore_blocks(frame, predecessor, decoder, place)
    return _restore_without_blocks(frame, predecessor, place), Transform.IDENTITY


def _restore_without_blocks(frame: DataFrame, predecessor: BytesLike | None, place: str) -> BytesLike:
    if frame.method == Method.ZSTD:
        return decompress_zstd(frame.rest, frame.raw_bytes, place)
    if frame.method == Method.CONSTANT:
        return _restore_constant(frame, place)
    cursor = Cursor(frame.rest, place)
    if frame.method == Method.STORED:
        raw: BytesLike = cursor.take(frame.raw_bytes, "stored bytes")
    else:
        raw = predecessor if predecessor is not None else b""
    cursor.finish("the frame")
    return raw


def _restore_constant(frame: DataFrame, place: str) -> bytes:
    cursor = Cursor(frame.rest, place)
    element_log2 = cursor.u8("element_log2")
    cursor.expect(element_log2 <= 3, f"element_log2 {element_log2} is out of range")
    element = bytes(cursor.take(1 << element_log2, "element"))
    cursor.finish("the frame")
    cursor.expect(frame.raw_bytes % len(element) == 0, "raw_bytes is no multiple of the element size")
    return element * (frame.raw_bytes // len(element))


def _restore_blocks(
    frame: DataFrame, predecessor: BytesLike | None, decoder: BlockDecoder, place: str
) -> tuple[memoryview, Transform]:
    head = decode_recipe_head(frame.rest, place)
    if head.needs_predecessor != (predecessor is not None):
        raise CorruptData(f"{place}: its recipe and its pieces disagree on whether it leans on a predecessor")
    if frame.raw_bytes % head.element_bytes != 0:
        raise CorruptData(f"{place}: raw_bytes is no multiple of the element size")
    out = allocate(frame.raw_bytes)
    decoder.decode_blocks(frame.rest, predecessor, out, place)
    return out, head.transform
