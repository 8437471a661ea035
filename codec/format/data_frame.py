"""The body of a data frame up to what belongs to its method (docs/format.md, "Data frame body")."""

import struct
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import MAX_FRAME_RAW_BYTES, MAX_PIECES
from weightzip.codec.source import BytesLike

_PIECE = np.dtype([("offset", "<u8"), ("piece_bytes", "<u4")])


class Method(IntEnum):
    """How a frame stores its bytes."""

    STORED = 0
    ZSTD = 1
    CONSTANT = 2
    IDENTICAL = 3
    BLOCKS = 4


@dataclass(frozen=True)
class Piece:
    """`n_bytes` bytes of the predecessor file from `offset`."""

    offset: int
    n_bytes: int


@dataclass(frozen=True)
class DataFrame:
    """A data frame's fields; `rest` belongs to the method. `predecessor_checksum` is None without pieces."""

    method: Method
    raw_bytes: int
    raw_checksum: int
    pieces: tuple[Piece, ...]
    predecessor_checksum: int | None
    rest: BytesLike


def encode_data_frame(frame: DataFrame) -> bytes:
    """Return the body of a data frame."""
    parts: list[BytesLike] = [
        struct.pack("<BBHIQ", frame.method, 0, len(frame.pieces), frame.raw_bytes, frame.raw_checksum)
    ]
    if frame.predecessor_checksum is not None:
        pieces = np.array([(piece.offset, piece.n_bytes) for piece in frame.pieces], dtype=_PIECE)
        parts += [pieces.tobytes(), struct.pack("<Q", frame.predecessor_checksum)]
    return b"".join([*parts, frame.rest])


def decode_data_frame(body: BytesLike, reference_bytes: int | None, place: str) -> DataFrame:
    """Return the fields of a body. `reference_bytes` is the size of the predecessor, None without a reference."""
    cursor = Cursor(body, place)
    method = cursor.u8("method")
    cursor.expect(method <= Method.BLOCKS, f"method {method} is reserved")
    cursor.expect(cursor.u8("reserved") == 0, "a reserved byte is set")
    n_pieces = cursor.u16("n_pieces")
    raw_bytes = cursor.u32("raw_bytes")
    cursor.expect(0 < raw_bytes <= MAX_FRAME_RAW_BYTES, f"raw_bytes {raw_bytes} is out of range")
    raw_checksum = cursor.u64("raw_checksum")
    _check_n_pieces(cursor, Method(method), n_pieces, reference_bytes is not None)
    pieces: tuple[Piece, ...] = ()
    predecessor_checksum = None
    if n_pieces > 0 and reference_bytes is not None:
        pieces = _decode_pieces(cursor, n_pieces, raw_bytes, reference_bytes)
        predecessor_checksum = cursor.u64("predecessor_checksum")
    return DataFrame(
        Method(method), raw_bytes, raw_checksum, pieces, predecessor_checksum, cursor.take_rest()
    )


def _check_n_pieces(cursor: Cursor, method: Method, n_pieces: int, has_reference: bool) -> None:
    if n_pieces > 0:
        cursor.expect(n_pieces <= MAX_PIECES, f"{n_pieces} pieces are too many")
        cursor.expect(has_reference, "it leans on a predecessor, the header names none")
        cursor.expect(method >= Method.IDENTICAL, f"method {method.name.lower()} leans on no predecessor")
    else:
        cursor.expect(method != Method.IDENTICAL, "an identical frame must lean on a predecessor")


def _decode_pieces(cursor: Cursor, n_pieces: int, raw_bytes: int, reference_bytes: int) -> tuple[Piece, ...]:
    pieces = tuple(Piece(*row) for row in cursor.column(_PIECE, n_pieces, "pieces").tolist())
    for piece in pieces:
        cursor.expect(piece.n_bytes > 0, "an empty piece")
        cursor.expect(
            piece.offset + piece.n_bytes <= reference_bytes, "a piece reaches beyond the predecessor"
        )
    cursor.expect(sum(piece.n_bytes for piece in pieces) == raw_bytes, "the pieces do not sum to raw_bytes")
    return pieces
