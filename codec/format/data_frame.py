"""The body of a data frame up to what belongs to its method (docs/format.md, "Data frame body")."""

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain

import numpy as np

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import MAX_FRAME_RAW_BYTES, MAX_PIECES
from weightzip.codec.source import BytesLike
from weightzip.codec.zstd import compress_zstd, decompress_zstd

OWN = 255
"""The reference of pieces that are cut from the shard itself."""
OWN_BIT = 15
"""What stands for OWN in `leans_on`."""

_FIELDS = struct.Struct("<BBHHHIQ")
_PIECE = struct.Struct("<QIB")
_ZSTD_LEVEL = 3


class Method(IntEnum):
    """How a frame stores its bytes."""

    STORED = 0
    ZSTD = 1
    CONSTANT = 2
    IDENTICAL = 3
    BLOCKS = 4
    DERIVED = 5


_LAST_METHOD = max(Method)


@dataclass(frozen=True)
class Piece:
    """`n_bytes` bytes from `offset` of a file: the header's reference of that number, or the shard itself (OWN)."""

    offset: int
    n_bytes: int
    reference: int = 0


@dataclass(frozen=True)
class FrameInput:
    """Bytes outside of a frame that it leans on: the pieces, one after another, and the checksum of all."""

    pieces: tuple[Piece, ...]
    checksum: int


@dataclass(frozen=True)
class DataFrame:
    """A data frame's fields; `rest` belongs to the method. An input that it does not have is None."""

    method: Method
    raw_bytes: int
    raw_checksum: int
    predecessor: FrameInput | None
    companion: FrameInput | None
    rest: BytesLike

    @property
    def leans_on(self) -> int:
        """Return what the index says of it: bit r is set for reference r, OWN_BIT for the shard itself."""
        inputs = (self.predecessor, self.companion)
        return mark_references(chain.from_iterable(given.pieces for given in inputs if given is not None))


def mark_references(pieces: Iterable[Piece]) -> int:
    """Return the bits of all references that pieces are cut from."""
    bits = 0
    for piece in pieces:
        bits |= 1 << (OWN_BIT if piece.reference == OWN else piece.reference)
    return bits


def encode_data_frame(frame: DataFrame) -> tuple[bytes, BytesLike]:
    """Return the body of a data frame in two parts: its fields, and what belongs to the method, uncopied."""
    inputs = (frame.predecessor, frame.companion)
    n_pieces = [0 if given is None else len(given.pieces) for given in inputs]
    fields = (frame.method, 0, *n_pieces, 0, frame.raw_bytes, frame.raw_checksum)
    parts = [_FIELDS.pack(*fields)]
    for given in inputs:
        if given is not None:
            parts += [_encode_pieces(given.pieces), struct.pack("<Q", given.checksum)]
    return b"".join(parts), frame.rest


def _encode_pieces(pieces: Sequence[Piece]) -> bytes:
    """Return one piece as it is; several as columns, which are much the same where tensors are of few shapes."""
    rows = [(piece.offset, piece.n_bytes, piece.reference) for piece in pieces]
    if len(rows) < 2:
        return b"".join(_PIECE.pack(*row) for row in rows)
    offsets, sizes, references = np.array(rows, dtype=np.uint64).T
    ends = np.concatenate([[np.uint64(0)], offsets + sizes])[:-1]
    columns = (offsets - ends, sizes.astype("<u4"), references.astype("u1"))  # modulo 2^64
    stored = compress_zstd(b"".join(column.tobytes() for column in columns), _ZSTD_LEVEL)
    return struct.pack("<I", len(stored)) + stored


def decode_data_frame(body: BytesLike, file_bytes: Mapping[int, int], place: str) -> DataFrame:
    """Return the fields of a body. `file_bytes` has the sizes of the files that it may lean on, by reference."""
    cursor = Cursor(body, place)
    fields = cursor.unpack(_FIELDS, "its fields")
    method, reserved, n_pieces, n_companion_pieces, also_reserved, raw_bytes, raw_checksum = fields
    cursor.expect(method <= _LAST_METHOD, f"method {method} is reserved")
    cursor.expect(reserved == 0 and also_reserved == 0, "a reserved byte is set")
    cursor.expect(0 < raw_bytes <= MAX_FRAME_RAW_BYTES, f"raw_bytes {raw_bytes} is out of range")
    _check_inputs(cursor, Method(method), n_pieces > 0, n_companion_pieces > 0)
    predecessor = _decode_input(cursor, n_pieces, raw_bytes, file_bytes)
    if predecessor is not None:
        n_bytes = sum(piece.n_bytes for piece in predecessor.pieces)
        cursor.expect(n_bytes == raw_bytes, "the pieces do not sum to raw_bytes")
    companion = _decode_input(cursor, n_companion_pieces, 2 * MAX_FRAME_RAW_BYTES, file_bytes)
    return DataFrame(Method(method), raw_bytes, raw_checksum, predecessor, companion, cursor.take_rest())


def _check_inputs(cursor: Cursor, method: Method, has_predecessor: bool, has_companion: bool) -> None:
    """Check what a method says of its inputs; that of blocks, the recipe, is read later."""
    if method == Method.BLOCKS:
        return
    name = method.name.lower()
    if method == Method.IDENTICAL:
        cursor.expect(has_predecessor, f"method {name} must lean on a predecessor")
    else:
        cursor.expect(not has_predecessor, f"method {name} leans on no predecessor")
    if method == Method.DERIVED:
        cursor.expect(has_companion, f"method {name} must lean on a companion")
    else:
        cursor.expect(not has_companion, f"method {name} leans on no companion")


def _decode_pieces(cursor: Cursor, n_pieces: int) -> tuple[Piece, ...]:
    if n_pieces == 1:
        return (Piece(*cursor.unpack(_PIECE, "a piece")),)
    stored = cursor.take(cursor.u32("pieces_bytes"), "pieces")
    plain = Cursor(decompress_zstd(stored, n_pieces * _PIECE.size, cursor.place), cursor.place)
    gaps, sizes, references = (plain.column(dtype, n_pieces, "pieces") for dtype in ("<u8", "<u4", "u1"))
    offsets = np.cumsum(gaps) + np.cumsum(sizes, dtype=np.uint64) - sizes  # modulo 2^64
    return tuple(map(Piece, offsets.tolist(), sizes.tolist(), references.tolist()))


def _decode_input(
    cursor: Cursor, n_pieces: int, max_bytes: int, file_bytes: Mapping[int, int]
) -> FrameInput | None:
    if n_pieces == 0:
        return None
    cursor.expect(n_pieces <= MAX_PIECES, f"{n_pieces} pieces are too many")
    pieces = _decode_pieces(cursor, n_pieces)
    for piece in pieces:
        cursor.expect(piece.n_bytes > 0, "an empty piece")
        cursor.expect(
            piece.reference in file_bytes, f"it leans on reference {piece.reference}, the header names none"
        )
        cursor.expect(
            piece.offset + piece.n_bytes <= file_bytes[piece.reference], "a piece reaches beyond its file"
        )
    n_bytes = sum(piece.n_bytes for piece in pieces)
    cursor.expect(n_bytes <= max_bytes, f"pieces of {n_bytes} bytes, at most {max_bytes} are allowed")
    return FrameInput(pieces, cursor.u64("input_checksum"))
