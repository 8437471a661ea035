"""One data frame, from raw bytes to stored bytes and back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from weightzip.codec.backend import BlockBackend, BlockDecoder
from weightzip.codec.derivation import Derivation, derive
from weightzip.codec.format.block_group import Transform, decode_recipe_head
from weightzip.codec.format.checksum import compute_checksum
from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.data_frame import (
    DataFrame,
    FrameInput,
    Method,
    Piece,
    decode_data_frame,
    encode_data_frame,
)
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.frame_table import FrameFacts
from weightzip.codec.recipes.level import Level
from weightzip.codec.recipes.planner import plan_frame
from weightzip.codec.recipes.recipe import Section
from weightzip.codec.source import BytesLike, allocate
from weightzip.codec.zstd import decompress_zstd
from weightzip.errors import CorruptData, WeightzipError


@dataclass(frozen=True)
class EncodedFrame:
    """A data frame's body, in parts that nobody need join to write them, and what the index records of it."""

    parts: tuple[BytesLike, ...]
    facts: FrameFacts

    @property
    def body_bytes(self) -> int:
        """Return the size of the body."""
        return sum(map(len, self.parts))


@dataclass(frozen=True)
class InputBytes:
    """What a frame may lean on: the bytes of pieces, concatenated."""

    pieces: tuple[Piece, ...]
    data: BytesLike


class InputReader(Protocol):
    """What a decoder needs to know of the files that an archive may lean on. See References beside this file."""

    @property
    def file_bytes(self) -> Mapping[int, int]:
        """Return the size of each file, by reference."""

    def read_pieces(self, pieces: tuple[Piece, ...], place: str) -> BytesLike:
        """Return the bytes of the pieces, concatenated."""

    def explain_mismatch(self, pieces: tuple[Piece, ...], place: str) -> WeightzipError:
        """Return the error to raise when those bytes are not the ones the frame was made against."""


def encode_frame(
    raw: BytesLike,
    predecessor: InputBytes | None,
    companion: InputBytes | None,
    dtype: DType,
    backend: BlockBackend,
    *,
    sections: tuple[Section, ...] = (),
    derivation: Derivation | None = None,
    level: Level = Level.DEFAULT,
) -> EncodedFrame:
    """Return the smallest frame for raw that the level allows.

    `predecessor` is as long as raw; `companion` has as many elements. `sections`: see list_recipes.
    `derivation`: see plan_frame.
    """
    plan = plan_frame(
        raw,
        predecessor.data if predecessor is not None else None,
        companion.data if companion is not None else None,
        dtype,
        backend,
        sections=sections,
        derivation=derivation,
        level=level,
    )
    frame = DataFrame(
        method=plan.method,
        raw_bytes=len(raw),
        raw_checksum=compute_checksum(raw),
        predecessor=_describe_input(predecessor) if plan.uses_predecessor else None,
        companion=_describe_input(companion) if plan.uses_companion else None,
        rest=plan.rest,
    )
    facts = FrameFacts(len(raw), plan.method, plan.transform, frame.leans_on)
    return EncodedFrame(encode_data_frame(frame), facts)


def _describe_input(given: InputBytes | None) -> FrameInput | None:
    return FrameInput(given.pieces, compute_checksum(given.data)) if given is not None else None


@dataclass(frozen=True)
class DecodedFrame:
    """The bytes a data frame restores, and what the index should have recorded of it."""

    raw: BytesLike
    facts: FrameFacts


def decode_frame(
    body: BytesLike,
    references: InputReader | None,
    decoder: BlockDecoder,
    place: str,
    *,
    leans_on: int | None = None,
    out: memoryview | None = None,
) -> DecodedFrame:
    """Return what a data frame's body restores, proven by its checksum.

    `references` may be None for a frame that leans on nothing. `leans_on` is what the index says of it, if that is
    at hand: it is compared before any input is read, so that frames which lean on each other are found out.
    `out`, if given, has the size that the frame should restore; then that is where the bytes are, and after an error
    it holds nothing of use.

    Raises:
        CorruptData: the body contradicts the format or its checksum.
        MissingPredecessor, WrongPredecessor: the bytes it leans on are not there, or not those it was made against.
    """
    frame = decode_data_frame(body, references.file_bytes if references is not None else {}, place)
    found = frame.leans_on
    if leans_on is not None and leans_on != found:
        raise CorruptData(f"{place}: the index describes otherwise what it leans on")
    predecessor = _read_input(frame.predecessor, references, place)
    companion = _read_input(frame.companion, references, place)
    if out is not None and len(out) != frame.raw_bytes:
        raise CorruptData(f"{place}: it restores {frame.raw_bytes} bytes, the index says {len(out)}")
    raw, transform = _restore(frame, predecessor, companion, decoder, place, out)
    if compute_checksum(raw) != frame.raw_checksum:
        raise CorruptData(f"{place}: the restored bytes do not match their checksum")
    return DecodedFrame(raw, FrameFacts(len(raw), frame.method, transform, found))


def _read_input(given: FrameInput | None, references: InputReader | None, place: str) -> BytesLike | None:
    if given is None or references is None:
        return None
    data = references.read_pieces(given.pieces, place)
    if compute_checksum(data) != given.checksum:
        raise references.explain_mismatch(given.pieces, place)
    return data


def _restore(
    frame: DataFrame,
    predecessor: BytesLike | None,
    companion: BytesLike | None,
    decoder: BlockDecoder,
    place: str,
    out: memoryview | None,
) -> tuple[BytesLike, Transform]:
    if frame.method == Method.BLOCKS:
        return _restore_blocks(frame, predecessor, companion, decoder, place, out)
    raw = _restore_without_blocks(frame, predecessor or b"", companion or b"", place)
    if out is None:
        return raw, Transform.IDENTITY
    out[:] = raw
    return out, Transform.IDENTITY


def _restore_without_blocks(
    frame: DataFrame, predecessor: BytesLike, companion: BytesLike, place: str
) -> BytesLike:
    if frame.method == Method.DERIVED:
        return _restore_derived(frame, companion, place)
    if frame.method == Method.ZSTD:
        return decompress_zstd(frame.rest, frame.raw_bytes, place)
    if frame.method == Method.CONSTANT:
        return _restore_constant(frame, place)
    cursor = Cursor(frame.rest, place)
    raw: BytesLike = predecessor
    if frame.method == Method.STORED:
        raw = cursor.take(frame.raw_bytes, "stored bytes")
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


def _restore_derived(frame: DataFrame, companion: BytesLike, place: str) -> memoryview:
    cursor = Cursor(frame.rest, place)
    derivation = cursor.u8("derivation")
    cursor.finish("the frame")
    cursor.expect(derivation <= max(Derivation), f"derivation {derivation} is reserved")
    cursor.expect(frame.raw_bytes % 2 == 0, "raw_bytes is odd")
    cursor.expect(len(companion) == 2 * frame.raw_bytes, "its companion is not twice as long as the frame")
    return derive(companion, Derivation(derivation))


def _restore_blocks(
    frame: DataFrame,
    predecessor: BytesLike | None,
    companion: BytesLike | None,
    decoder: BlockDecoder,
    place: str,
    out: memoryview | None,
) -> tuple[memoryview, Transform]:
    head = decode_recipe_head(frame.rest, place)
    if head.needs_predecessor != (predecessor is not None):
        raise CorruptData(f"{place}: its recipe and its pieces disagree on whether it leans on a predecessor")
    if frame.raw_bytes % head.element_bytes != 0:
        raise CorruptData(f"{place}: raw_bytes is no multiple of the element size")
    companion_bytes = frame.raw_bytes // head.element_bytes * head.companion_bytes
    if companion_bytes != len(companion or b""):
        raise CorruptData(f"{place}: its recipe and its pieces disagree on the size of its companion")
    if out is None:
        out = allocate(frame.raw_bytes)
    decoder.decode_blocks(frame.rest, predecessor, companion, out, place)
    return out, head.transform
