"""The footer of an archive (docs/format.md, "Footer")."""

import struct

from weightzip.codec.format.checksum import compute_checksum
from weightzip.codec.format.cursor import Cursor
from weightzip.codec.source import BytesLike
from weightzip.errors import TruncatedData

FOOTER_BYTES = 24
END_MAGIC = b"WZSTEND\n"


def encode_footer(index_offset: int) -> bytes:
    """Return the footer that points at the index frame."""
    body = struct.pack("<Q", index_offset)
    return body + struct.pack("<Q", compute_checksum(body)) + END_MAGIC


def decode_footer(data: BytesLike, place: str) -> int:
    """Return the index_offset of the footer in data (exactly FOOTER_BYTES)."""
    cursor = Cursor(data, f"{place}: footer")
    body = cursor.take(8, "index_offset")
    checksum = cursor.u64("footer_checksum")
    if bytes(cursor.take(8, "end_magic")) != END_MAGIC:
        raise TruncatedData(f"{place}: it does not end with a footer, its end is missing or damaged")
    cursor.expect(checksum == compute_checksum(body), "its checksum does not match")
    return int.from_bytes(body, "little")
