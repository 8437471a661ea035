"""The envelope of every frame (docs/format.md, "Frame")."""

import struct
from dataclasses import dataclass
from enum import IntEnum

from weightzip.codec.format.checksum import compute_checksum
from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import MAX_FRAME_BODY_BYTES, MAX_INDEX_BYTES
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData

FRAME_HEADER_BYTES = 16


class FrameKind(IntEnum):
    """What a frame's body is."""

    DATA = 1
    INDEX = 2


_MAX_BODY_BYTES = {FrameKind.DATA: MAX_FRAME_BODY_BYTES, FrameKind.INDEX: MAX_INDEX_BYTES}


@dataclass(frozen=True)
class FrameHeader:
    """The 16 bytes before a body."""

    kind: FrameKind
    body_bytes: int
    body_checksum: int


def encode_frame_header(kind: FrameKind, *body: BytesLike) -> bytes:
    """Return the header for a body, given in parts."""
    return struct.pack("<B3xIQ", kind, sum(map(len, body)), compute_checksum(*body))


def decode_frame_header(data: BytesLike, place: str) -> FrameHeader:
    """Return the frame header in data, its size checked against the limit of its kind."""
    cursor = Cursor(data, place)
    kind = cursor.u8("kind")
    reserved = bytes(cursor.take(3, "reserved"))
    body_bytes = cursor.u32("body_bytes")
    body_checksum = cursor.u64("body_checksum")
    cursor.expect(kind in (FrameKind.DATA, FrameKind.INDEX), f"frame kind {kind} is reserved")
    cursor.expect(reserved == bytes(3), "reserved bytes of the frame header are set")
    header = FrameHeader(FrameKind(kind), body_bytes, body_checksum)
    limit = _MAX_BODY_BYTES[header.kind]
    cursor.expect(body_bytes <= limit, f"body of {body_bytes} bytes, at most {limit} are allowed")
    return header


def check_frame_body(header: FrameHeader, body: BytesLike, place: str) -> None:
    """Raise CorruptData unless the body is the one its header was made for."""
    if compute_checksum(body) != header.body_checksum:
        raise CorruptData(f"{place}: the stored bytes do not match their checksum")
