"""Torch zip files: written front to back, the directory of entries last, so the tail shows whether they are whole."""

import struct

from weightzip.codec.source import ByteSource

ZIP_MAGIC = b"PK\x03\x04"
_END_MAGIC, _END_BYTES = b"PK\x05\x06", 22
_LOCATOR_MAGIC, _LOCATOR_BYTES = b"PK\x06\x07", 20
_END64_MAGIC, _END64_BYTES = b"PK\x06\x06", 56
_MAX_COMMENT_BYTES = 65535


def find_zip_problem(source: ByteSource) -> str | None:
    """Say why a zip file is not whole; None if its last records point at each other."""
    tail_bytes = min(source.size_bytes, _END_BYTES + _MAX_COMMENT_BYTES)
    tail_offset = source.size_bytes - tail_bytes
    tail = bytes(source.read_at(tail_offset, tail_bytes))
    at = tail.rfind(_END_MAGIC)
    if at < 0 or len(tail) - at < _END_BYTES:
        return "has no zip directory at its end"
    directory_bytes, directory_offset, comment_bytes = struct.unpack_from("<IIH", tail, at + 12)
    if at + _END_BYTES + comment_bytes != len(tail):
        return "has bytes after its zip directory"
    end_offset = tail_offset + at
    locator = tail[at - _LOCATOR_BYTES : at] if at >= _LOCATOR_BYTES else b""
    if locator.startswith(_LOCATOR_MAGIC):
        return _find_zip64_problem(
            source, struct.unpack_from("<Q", locator, 8)[0], end_offset - _LOCATOR_BYTES
        )
    return _compare(directory_offset + directory_bytes, end_offset)


def _find_zip64_problem(source: ByteSource, record_offset: int, locator_offset: int) -> str | None:
    if record_offset + _END64_BYTES > locator_offset:
        return "has a zip64 locator that points past itself"
    record = bytes(source.read_at(record_offset, _END64_BYTES))
    if not record.startswith(_END64_MAGIC):
        return "has a zip64 locator that points nowhere"
    directory_bytes, directory_offset = struct.unpack_from("<QQ", record, 40)
    return _compare(directory_offset + directory_bytes, record_offset)


def _compare(directory_end: int, record_offset: int) -> str | None:
    return (
        None if directory_end == record_offset else "has a zip directory that does not reach its end record"
    )
