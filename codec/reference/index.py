"""The index of an archive (docs/format.md, "Index frame body")."""

from dataclasses import dataclass
from typing import NamedTuple

from weightzip.codec.format.checksum import DIGEST_BYTES
from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import MAX_INDEX_BYTES, MAX_INDEX_RATIO
from weightzip.codec.format.tensor_table import decode_tensor_table
from weightzip.codec.reference.arrangement import Run, read_runs
from weightzip.codec.source import BytesLike
from weightzip.codec.zstd import decompress_zstd

_COLUMN_TYPES = ("<u8", "<u4", "<u4", "<u1", "<u1", "<u2")
_MAX_CONTAINER = 9


class FrameRow(NamedTuple):
    """What the index says of a frame."""

    archive_offset: int
    frame_bytes: int
    raw_bytes: int
    method: int
    transform: int
    leans_on: int


@dataclass(frozen=True)
class ArchiveIndex:
    """The content of an index frame."""

    file_bytes: int
    file_digest: bytes
    frames: tuple[FrameRow, ...]
    is_arranged: bool
    runs: tuple[Run, ...]


def read_index(body: BytesLike, place: str) -> ArchiveIndex:
    """Return the index in a frame body. What it says of the frames is not compared with them yet."""
    envelope = Cursor(body, place)
    plain_bytes = envelope.u64("plain_bytes")
    limit = min(MAX_INDEX_BYTES, MAX_INDEX_RATIO * envelope.remaining)
    envelope.expect(plain_bytes <= limit, "plain_bytes is out of range")
    cursor = Cursor(decompress_zstd(envelope.take_rest(), plain_bytes, place), place)
    file_bytes = cursor.u64("file_bytes")
    file_digest = bytes(cursor.take(DIGEST_BYTES, "file_digest"))
    cursor.expect(cursor.u8("container") <= _MAX_CONTAINER, "the container is reserved")
    n_frames = cursor.u32("n_frames")
    columns = [
        cursor.column(dtype, n_frames, name).tolist()
        for name, dtype in zip(FrameRow._fields, _COLUMN_TYPES, strict=True)
    ]
    is_arranged, runs = read_runs(cursor, file_bytes)
    decode_tensor_table(cursor, file_bytes)
    cursor.finish("the index")
    return ArchiveIndex(file_bytes, file_digest, tuple(map(FrameRow, *columns)), is_arranged, runs)
