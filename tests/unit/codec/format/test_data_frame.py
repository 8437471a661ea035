"""Frame envelopes and data frame bodies."""

import struct

import pytest

from weightzip.codec.format.block_group import decode_recipe_head
from weightzip.codec.format.data_frame import (
    DataFrame,
    Method,
    Piece,
    decode_data_frame,
    encode_data_frame,
)
from weightzip.codec.format.frame import (
    FrameHeader,
    FrameKind,
    check_frame_body,
    decode_frame_header,
    encode_frame_header,
)
from weightzip.codec.format.limits import MAX_FRAME_BODY_BYTES, MAX_FRAME_RAW_BYTES, MAX_PIECES
from weightzip.errors import CorruptData, TruncatedData

PIECES = (Piece(10, 3), Piece(0, 4))
IDENTICAL = DataFrame(Method.IDENTICAL, 7, 99, PIECES, 5, b"")


def test_frame_header_is_symmetric() -> None:
    stored = encode_frame_header(FrameKind.DATA, b"body")
    header = decode_frame_header(stored, "x")
    assert header == FrameHeader(FrameKind.DATA, 4, header.body_checksum)
    check_frame_body(header, b"body", "x")
    with pytest.raises(CorruptData, match="checksum"):
        check_frame_body(header, b"bodY", "x")


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        (struct.pack("<B3xIQ", 0, 1, 0), "kind 0 is reserved"),
        (struct.pack("<B3xIQ", 3, 1, 0), "kind 3 is reserved"),
        (b"\x01\x00\x01\x00" + bytes(12), "reserved bytes"),
        (struct.pack("<B3xIQ", 1, MAX_FRAME_BODY_BYTES + 1, 0), "at most"),
    ],
)
def test_frame_headers_that_lie_are_rejected(stored: bytes, message: str) -> None:
    with pytest.raises(CorruptData, match=message):
        decode_frame_header(stored, "x")


@pytest.mark.parametrize(
    "frame", [IDENTICAL, DataFrame(Method.STORED, 3, 1, (), None, b"abc")], ids=["identical", "stored"]
)
def test_data_frame_is_symmetric(frame: DataFrame) -> None:
    assert decode_data_frame(encode_data_frame(frame), 13, "x") == frame


@pytest.mark.parametrize(
    ("frame", "reference_bytes", "message"),
    [
        (IDENTICAL, None, "the header names none"),
        (IDENTICAL, 12, "beyond the predecessor"),
        (DataFrame(Method.ZSTD, 7, 0, PIECES, 0, b""), 99, "zstd leans on no predecessor"),
        (DataFrame(Method.IDENTICAL, 7, 0, (), None, b""), 99, "must lean"),
        (DataFrame(Method.IDENTICAL, 8, 0, PIECES, 0, b""), 99, "do not sum"),
        (DataFrame(Method.IDENTICAL, 7, 0, (Piece(0, 7), Piece(0, 0)), 0, b""), 99, "empty piece"),
        (DataFrame(Method.STORED, 0, 0, (), None, b""), None, "raw_bytes 0"),
        (DataFrame(Method.STORED, MAX_FRAME_RAW_BYTES + 1, 0, (), None, b""), None, "out of range"),
    ],
)
def test_data_frames_that_lie_are_rejected(
    frame: DataFrame, reference_bytes: int | None, message: str
) -> None:
    with pytest.raises(CorruptData, match=message):
        decode_data_frame(encode_data_frame(frame), reference_bytes, "x")


def test_a_piece_cannot_wrap_around() -> None:
    frame = DataFrame(Method.IDENTICAL, 7, 0, (Piece((1 << 64) - 1, 7),), 0, b"")
    with pytest.raises(CorruptData, match="beyond the predecessor"):
        decode_data_frame(encode_data_frame(frame), 99, "x")


def test_more_pieces_than_bytes_is_truncation() -> None:
    body = struct.pack("<BBHIQ", Method.BLOCKS, 0, MAX_PIECES, 7, 0)
    with pytest.raises(TruncatedData, match="pieces"):
        decode_data_frame(body, 99, "x")


def test_pieces_without_number_are_refused() -> None:
    body = struct.pack("<BBHIQ", Method.BLOCKS, 0, MAX_PIECES + 1, 7, 0)
    with pytest.raises(CorruptData, match="too many"):
        decode_data_frame(body, 99, "x")


@pytest.mark.parametrize(
    "group",
    [
        b"\x04\x00\x0a\x01",
        b"\x00\x04\x0a\x01",
        b"\x00\x00\x09\x01",
        b"\x00\x00\x11\x01",
        b"\x00\x00\x0a\x00",
        b"\x00\x00\x0a\x21",
    ],
)
def test_recipe_heads_out_of_range_are_rejected(group: bytes) -> None:
    with pytest.raises(CorruptData):
        decode_recipe_head(group, "x")
