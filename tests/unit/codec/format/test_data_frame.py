"""Frame envelopes and data frame bodies."""

import struct
from dataclasses import replace

import pytest

from weightzip.codec.format.block_group import decode_recipe_head
from weightzip.codec.format.data_frame import (
    OWN,
    DataFrame,
    FrameInput,
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
from weightzip.codec.zstd import compress_zstd
from weightzip.errors import CorruptData, TruncatedData

PIECES = (Piece(10, 3), Piece(0, 4))
INPUT = FrameInput(PIECES, 5)
OWN_INPUT = FrameInput((Piece(3, 14, OWN), Piece(0, 1, 14)), 6)
IDENTICAL = DataFrame(Method.IDENTICAL, 7, 99, INPUT, None, b"")
STORED = DataFrame(Method.STORED, 3, 1, None, None, b"abc")
DERIVED = DataFrame(Method.DERIVED, 8, 1, None, OWN_INPUT, b"\0")
BOTH = DataFrame(Method.BLOCKS, 7, 1, INPUT, OWN_INPUT, b"group")
FILE_BYTES = {0: 13, 14: 1, OWN: 17}
HALF_TOO_MUCH = MAX_FRAME_RAW_BYTES + 1


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
    ("frame", "leans_on"), [(IDENTICAL, 1), (STORED, 0), (DERIVED, 0xC000), (BOTH, 0xC001)]
)
def test_data_frame_is_symmetric(frame: DataFrame, leans_on: int) -> None:
    assert decode_data_frame(b"".join(encode_data_frame(frame)), FILE_BYTES, "x") == frame
    assert frame.leans_on == leans_on


@pytest.mark.parametrize(
    ("frame", "file_bytes", "message"),
    [
        (IDENTICAL, {}, "the header names none"),
        (IDENTICAL, {1: 99, OWN: 99}, "reference 0, the header names none"),
        (IDENTICAL, {0: 12}, "beyond its file"),
        (BOTH, {0: 13, 14: 1}, "reference 255, the header names none"),
        (BOTH, {0: 13, 14: 1, OWN: 16}, "beyond its file"),
        (replace(IDENTICAL, method=Method.ZSTD), FILE_BYTES, "zstd leans on no predecessor"),
        (replace(DERIVED, method=Method.STORED), FILE_BYTES, "stored leans on no companion"),
        (replace(BOTH, method=Method.IDENTICAL), FILE_BYTES, "identical leans on no companion"),
        (replace(BOTH, method=Method.DERIVED), FILE_BYTES, "derived leans on no predecessor"),
        (replace(IDENTICAL, predecessor=None), FILE_BYTES, "must lean on a predecessor"),
        (replace(DERIVED, companion=None), FILE_BYTES, "must lean on a companion"),
        (replace(IDENTICAL, raw_bytes=8), FILE_BYTES, "do not sum"),
        (replace(IDENTICAL, predecessor=FrameInput((Piece(0, 0),), 0)), FILE_BYTES, "empty piece"),
        (replace(STORED, raw_bytes=0), {}, "raw_bytes 0"),
        (replace(STORED, raw_bytes=MAX_FRAME_RAW_BYTES + 1), {}, "out of range"),
        (replace(DERIVED, companion=FrameInput((Piece(0, HALF_TOO_MUCH),) * 2, 0)), {0: 1 << 40}, "at most"),
    ],
)
def test_data_frames_that_lie_are_rejected(
    frame: DataFrame, file_bytes: dict[int, int], message: str
) -> None:
    with pytest.raises(CorruptData, match=message):
        decode_data_frame(b"".join(encode_data_frame(frame)), file_bytes, "x")


def test_a_piece_cannot_wrap_around() -> None:
    frame = replace(IDENTICAL, predecessor=FrameInput((Piece((1 << 64) - 1, 7),), 0))
    with pytest.raises(CorruptData, match="beyond its file"):
        decode_data_frame(b"".join(encode_data_frame(frame)), {0: 99}, "x")


def _front(method: Method, *n_pieces: int, reserved: int = 0, last_reserved: int = 0) -> bytes:
    return struct.pack("<BBHHHIQ", method, reserved, *n_pieces, last_reserved, 7, 0)


def test_more_pieces_than_bytes_is_truncation() -> None:
    for n_pieces in ((MAX_PIECES, 0), (0, MAX_PIECES)):
        with pytest.raises(TruncatedData, match="pieces"):
            decode_data_frame(_front(Method.BLOCKS, *n_pieces), {0: 99}, "x")


def test_pieces_without_number_are_refused() -> None:
    for n_pieces in ((MAX_PIECES + 1, 0), (0, MAX_PIECES + 1)):
        with pytest.raises(CorruptData, match="too many"):
            decode_data_frame(_front(Method.BLOCKS, *n_pieces), {0: 99}, "x")


def test_reserved_bytes_and_methods_are_refused() -> None:
    for front in (
        _front(Method.STORED, 0, 0, reserved=1),
        _front(Method.STORED, 0, 0, last_reserved=256),
        b"\x06" + _front(Method.STORED, 0, 0)[1:],
    ):
        with pytest.raises(CorruptData, match="reserved"):
            decode_data_frame(front + bytes(7), {}, "x")


def _recipe(*fields: int, rest: bytes = b"") -> bytes:
    return bytes(fields) + rest


RUNS = bytes(5) + b"\x01" + bytes([0, 7, 1, 255])


@pytest.mark.parametrize(
    ("group", "companion_bytes", "needs_predecessor"),
    [
        (_recipe(2, 1, 16, 1, 0, 0, 0), 0, False),
        (_recipe(2, 2, 16, 1, 1, 0, 0), 0, True),
        (_recipe(2, 1, 16, 2, 0, 1, 0, rest=RUNS), 0, True),
        (_recipe(1, 1, 16, 2, 0, 2, 2, rest=RUNS), 4, False),
        (_recipe(0, 3, 16, 2, 1, 2, 0, rest=RUNS), 1, True),
        (_recipe(2, 2, 16, 1, 2, 0, 0, rest=b"\x17\x00"), 0, False),
        (_recipe(2, 2, 16, 1, 2, 0, 0, rest=b"\x17\x10"), 0, True),
        (_recipe(2, 2, 16, 2, 2, 3, 0, rest=RUNS + b"\x17\x00"), 0, False),
        (_recipe(2, 2, 16, 2, 1, 3, 0, rest=RUNS + b"\x17\xff"), 0, True),
        (_recipe(2, 1, 16, 2, 0, 3, 0, rest=RUNS + b"\x17\x00"), 0, False),
        (_recipe(2, 1, 16, 2, 0, 3, 0, rest=RUNS + b"\x17\x01"), 0, True),
    ],
)
def test_a_recipe_tells_which_inputs_it_needs(
    group: bytes, companion_bytes: int, needs_predecessor: bool
) -> None:
    head = decode_recipe_head(group, "x")
    assert (head.companion_bytes, head.needs_predecessor) == (companion_bytes, needs_predecessor)
    assert head.needs_companion == (companion_bytes > 0)
    for n_bytes in range(len(group)):
        with pytest.raises(TruncatedData):
            decode_recipe_head(group[:n_bytes], "x")


@pytest.mark.parametrize(
    "group",
    [
        _recipe(4, 0, 10, 1, 0, 0, 0),
        _recipe(0, 4, 10, 1, 0, 0, 0),
        _recipe(0, 0, 9, 1, 0, 0, 0),
        _recipe(0, 0, 17, 1, 0, 0, 0),
        _recipe(0, 0, 10, 0, 0, 0, 0),
        _recipe(0, 0, 10, 33, 0, 0, 0),
        _recipe(0, 2, 10, 1, 0, 0, 0),
        _recipe(0, 1, 10, 1, 1, 0, 0),
        _recipe(0, 2, 10, 1, 3, 0, 0),
        _recipe(0, 0, 10, 1, 0, 1, 0),
        _recipe(0, 0, 10, 2, 0, 0, 0),
        _recipe(0, 0, 10, 2, 0, 4, 0),
        _recipe(0, 1, 10, 2, 0, 3, 0, rest=RUNS + b"\x17\xff"),
        _recipe(0, 2, 10, 2, 2, 3, 0, rest=RUNS + b"\x17\xff"),
        _recipe(0, 2, 10, 2, 1, 3, 0, rest=RUNS + b"\x17\xfe"),
        _recipe(0, 0, 10, 1, 0, 0, 1),
        _recipe(0, 0, 10, 2, 0, 2, 4),
        _recipe(0, 2, 10, 1, 2, 0, 0, rest=b"\x17\x11"),
    ],
)
def test_recipe_heads_out_of_range_are_rejected(group: bytes) -> None:
    with pytest.raises(CorruptData, match=r"out of range|do not fit|without"):
        decode_recipe_head(group + bytes(600), "x")


def _spoil_pieces(stored_pieces: bytes, n_claimed: int | None = None) -> bytes:
    """Return the body of a frame of two pieces with this for their columns."""
    body = b"".join(encode_data_frame(IDENTICAL))
    begin, n_bytes = 20, int.from_bytes(body[20:24], "little")
    n_claimed = len(stored_pieces) if n_claimed is None else n_claimed
    return body[:begin] + struct.pack("<I", n_claimed) + stored_pieces + body[begin + 4 + n_bytes :]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (_spoil_pieces(b""), "x: "),
        (_spoil_pieces(b"no zstd frame"), "x: "),
        (_spoil_pieces(compress_zstd(bytes(25))), "25"),
        (_spoil_pieces(compress_zstd(bytes(27))), "27"),
        (_spoil_pieces(compress_zstd(bytes(26))), "an empty piece"),
        (_spoil_pieces(b"", 1 << 31), "pieces needs"),
    ],
)
def test_pieces_that_are_no_columns_are_rejected(body: bytes, message: str) -> None:
    with pytest.raises(CorruptData, match=message):
        decode_data_frame(body, FILE_BYTES, "x")


def test_many_alike_pieces_take_few_bytes() -> None:
    pieces = tuple(Piece(700 * number, 512, number % 2) for number in range(MAX_PIECES))
    frame = DataFrame(Method.IDENTICAL, 512 * MAX_PIECES, 1, FrameInput(pieces, 5), None, b"")
    body = b"".join(encode_data_frame(frame))
    assert len(body) < 200
    assert decode_data_frame(body, {0: 1 << 30, 1: 1 << 30}, "x") == frame
