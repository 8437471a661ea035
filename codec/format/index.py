"""The index of an archive (docs/format.md, "Index frame body"): what the shard is and where its parts are."""

import struct
from dataclasses import dataclass

from weightzip.codec.format.arrangement import (
    IN_ORDER,
    Arrangement,
    decode_arrangement,
    encode_arrangement,
)
from weightzip.codec.format.checksum import DIGEST_BYTES
from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.frame_table import FrameTable, decode_frame_table, encode_frame_table
from weightzip.codec.format.layout import ContainerKind, Layout
from weightzip.codec.format.limits import MAX_INDEX_BYTES, MAX_INDEX_RATIO
from weightzip.codec.format.tensor_table import decode_tensor_table, encode_tensor_table
from weightzip.codec.source import BytesLike
from weightzip.codec.zstd import compress_zstd, compress_zstd_moderately, decompress_zstd
from weightzip.errors import UsageError

# The index is written once and read often, over networks: its bytes matter more than the milliseconds.
_ZSTD_LEVEL = 9


@dataclass(frozen=True, eq=False)
class Index:
    """The content of an index frame."""

    file_digest: bytes
    layout: Layout
    frames: FrameTable
    arrangement: Arrangement = IN_ORDER

    @property
    def file_bytes(self) -> int:
        """Return the size of the shard."""
        return self.layout.file_bytes


def encode_index(index: Index) -> bytes:
    """Return the body of an index frame.

    Raises:
        UsageError: the shard has more frames, or longer names of tensors, than an index can hold.
    """
    plain = (
        struct.pack("<Q", index.file_bytes)
        + index.file_digest
        + struct.pack("<B", index.layout.container)
        + encode_frame_table(index.frames)
        + encode_arrangement(index.arrangement)
        + encode_tensor_table(index.layout.tensors)
    )
    if len(plain) > MAX_INDEX_BYTES:
        raise UsageError(f"the index would need {len(plain)} bytes, at most {MAX_INDEX_BYTES} are allowed")
    stored = compress_zstd(plain, _ZSTD_LEVEL)
    if len(plain) > MAX_INDEX_RATIO * len(stored):  # readers would take it for a bomb
        stored = compress_zstd_moderately(plain)
    return struct.pack("<Q", len(plain)) + stored


def decode_index(body: BytesLike, *, index_offset: int, place: str) -> Index:
    """Return the index in a frame body that stands at index_offset in its archive."""
    place = f"{place}: index"
    envelope = Cursor(body, place)
    plain_bytes = envelope.u64("plain_bytes")
    limit = min(MAX_INDEX_BYTES, MAX_INDEX_RATIO * envelope.remaining)
    envelope.expect(plain_bytes <= limit, f"it claims {plain_bytes} bytes, at most {limit} are allowed")
    cursor = Cursor(decompress_zstd(envelope.take_rest(), plain_bytes, place), place)
    file_bytes = cursor.u64("file_bytes")
    cursor.expect(file_bytes < 1 << 63, "the file's size is out of range")
    file_digest = bytes(cursor.take(DIGEST_BYTES, "file_digest"))
    container = cursor.u8("container")
    cursor.expect(container <= max(ContainerKind), f"container {container} is reserved")
    frames = decode_frame_table(cursor, file_bytes, index_offset)
    arrangement = decode_arrangement(cursor, file_bytes, frames)
    tensors = decode_tensor_table(cursor, file_bytes)
    cursor.finish("the index")
    return Index(file_digest, Layout(ContainerKind(container), file_bytes, tensors), frames, arrangement)
