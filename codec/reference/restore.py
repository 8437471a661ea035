"""What a data frame restores, method by method (docs/format.md, "Data frame body")."""

from weightzip.codec.format.checksum import compute_checksum
from weightzip.codec.format.cursor import Cursor
from weightzip.codec.reference.block_group import decode_block_group
from weightzip.codec.reference.data_frame import DataFrame, Method
from weightzip.codec.reference.derive import derive
from weightzip.codec.source import BytesLike
from weightzip.codec.zstd import decompress_zstd
from weightzip.errors import CorruptData


def restore_frame(
    frame: DataFrame, predecessor: BytesLike | None, companion: BytesLike | None, place: str
) -> BytesLike:
    """Return the bytes of a frame, proven by their checksum. The inputs are there if the frame has such pieces."""
    raw = _restore(frame, predecessor, companion, place)
    if len(raw) != frame.raw_bytes or compute_checksum(raw) != frame.raw_checksum:
        raise CorruptData(f"{place}: the restored bytes are not those that were recorded")
    return raw


def _restore(
    frame: DataFrame, predecessor: BytesLike | None, companion: BytesLike | None, place: str
) -> BytesLike:
    if frame.method == Method.ZSTD:
        return decompress_zstd(frame.rest, frame.raw_bytes, place)
    if frame.method == Method.CONSTANT:
        return _repeat(frame, place)
    if frame.method == Method.BLOCKS:
        return decode_block_group(
            frame.rest, frame.raw_bytes, predecessor=predecessor, companion=companion, place=place
        )
    if frame.method == Method.DERIVED and companion is not None:
        return derive(frame.rest, companion, frame.raw_bytes, place)
    if frame.method == Method.IDENTICAL and predecessor is not None:
        Cursor(frame.rest, place).finish("the frame")
        return predecessor
    return frame.rest


def _repeat(frame: DataFrame, place: str) -> bytes:
    cursor = Cursor(frame.rest, place)
    element_log2 = cursor.u8("element_log2")
    cursor.expect(element_log2 <= 3, f"element_log2 {element_log2} is out of range")
    element = bytes(cursor.take(1 << element_log2, "element"))
    cursor.finish("the frame")
    return element * (frame.raw_bytes // len(element))
