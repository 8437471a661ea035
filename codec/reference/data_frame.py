"""The body of a data frame up to what belongs to its method (docs/format.md, "Data frame body")."""

from dataclasses import dataclass
from enum import IntEnum

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import MAX_FRAME_RAW_BYTES, MAX_PIECES
from weightzip.codec.reference.header import ArchiveHeader
from weightzip.codec.source import BytesLike
from weightzip.codec.zstd import decompress_zstd

OWN = 255
OWN_BIT = 15


class Method(IntEnum):
    """How a frame stores its bytes."""

    STORED = 0
    ZSTD = 1
    CONSTANT = 2
    IDENTICAL = 3
    BLOCKS = 4
    DERIVED = 5


@dataclass(frozen=True)
class Piece:
    """`n_bytes` bytes from `offset` of a reference, or of the shard itself (OWN)."""

    offset: int
    n_bytes: int
    reference: int


@dataclass(frozen=True)
class FrameInput:
    """Bytes outside of the frame that it leans on: the pieces, one after another."""

    pieces: tuple[Piece, ...]
    checksum: int


@dataclass(frozen=True)
class DataFrame:
    """What a body says, whatever its method."""

    method: Method
    raw_bytes: int
    raw_checksum: int
    predecessor: FrameInput | None
    companion: FrameInput | None
    rest: BytesLike

    @property
    def leans_on(self) -> int:
        """Return the value that the index has for this frame: a bit for every reference, bit 15 for own bytes."""
        inputs = [given for given in (self.predecessor, self.companion) if given is not None]
        bits = {min(piece.reference, OWN_BIT) for given in inputs for piece in given.pieces}
        return sum(1 << bit for bit in bits)


def read_data_frame(body: BytesLike, header: ArchiveHeader, place: str) -> DataFrame:
    """Return the fields of a body."""
    cursor = Cursor(body, place)
    number = cursor.u8("method")
    cursor.expect(number <= max(Method), f"method {number} is reserved")
    cursor.expect(cursor.u8("reserved") == 0, "a reserved byte is set")
    n_pieces, n_companion_pieces = cursor.u16("n_pieces"), cursor.u16("n_companion_pieces")
    cursor.expect(cursor.u16("reserved") == 0, "a reserved byte is set")
    raw_bytes = cursor.u32("raw_bytes")
    cursor.expect(0 < raw_bytes <= MAX_FRAME_RAW_BYTES, f"raw_bytes {raw_bytes} is out of range")
    raw_checksum = cursor.u64("raw_checksum")

    method = Method(number)
    if method != Method.BLOCKS:  # there the recipe says
        cursor.expect((n_pieces > 0) == (method == Method.IDENTICAL), "predecessor and method do not fit")
        cursor.expect(
            (n_companion_pieces > 0) == (method == Method.DERIVED), "companion and method do not fit"
        )
    predecessor = _read_input(cursor, n_pieces, header)
    companion = _read_input(cursor, n_companion_pieces, header)
    if predecessor is not None:
        n_bytes = _sum_bytes(predecessor)
        cursor.expect(n_bytes == raw_bytes, "the predecessor is not as long as the frame")
    if companion is not None:
        n_bytes = _sum_bytes(companion)
        cursor.expect(n_bytes <= 2 * MAX_FRAME_RAW_BYTES, "the companion is too long")
    return DataFrame(method, raw_bytes, raw_checksum, predecessor, companion, cursor.take_rest())


def _read_input(cursor: Cursor, n_pieces: int, header: ArchiveHeader) -> FrameInput | None:
    cursor.expect(n_pieces <= MAX_PIECES, f"{n_pieces} pieces are too many")
    if n_pieces == 0:
        return None
    pieces = _read_pieces(cursor, n_pieces)
    for piece in pieces:
        _check_piece(cursor, piece, header)
    return FrameInput(pieces, cursor.u64("input_checksum"))


def _read_pieces(cursor: Cursor, n_pieces: int) -> tuple[Piece, ...]:
    if n_pieces == 1:
        return (Piece(cursor.u64("offset"), cursor.u32("piece_bytes"), cursor.u8("reference")),)
    stored = cursor.take(cursor.u32("pieces_bytes"), "pieces")
    plain = Cursor(decompress_zstd(stored, 13 * n_pieces, cursor.place), cursor.place)
    columns = [plain.column(dtype, n_pieces, "pieces").tolist() for dtype in ("<i8", "<u4", "u1")]
    pieces = []
    end = 0
    for gap, n_bytes, reference in zip(*columns, strict=True):
        offset = (end + gap) % (1 << 64)
        pieces.append(Piece(offset, n_bytes, reference))
        end = offset + n_bytes
    return tuple(pieces)


def _check_piece(cursor: Cursor, piece: Piece, header: ArchiveHeader) -> None:
    """Check all that can be known before the index."""
    cursor.expect(piece.n_bytes > 0, "a piece is empty")
    if piece.reference == OWN:
        cursor.expect(
            header.leans_on_itself, "a piece of the shard itself, which the header does not announce"
        )
        return
    cursor.expect(piece.reference < len(header.references), f"there is no reference {piece.reference}")
    file_bytes = header.references[piece.reference].file_bytes
    cursor.expect(piece.offset + piece.n_bytes <= file_bytes, "a piece reaches beyond its file")


def _sum_bytes(given: FrameInput) -> int:
    return sum(piece.n_bytes for piece in given.pieces)
