"""The central directory of a zip archive: which bytes of it are which entry. Nothing is inflated.

Torch writes local headers without sizes, so the central directory tells them, and the local headers only where data
begins. An archive whose entries overlap, lie outside or are absurdly many is none.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from weightzip.codec.containers.unreadable import Unreadable
from weightzip.codec.format.limits import MAX_TENSORS
from weightzip.codec.source import ByteSource

LOCAL_MAGIC = b"PK\x03\x04"
# Torch adds a handful of entries to its storages; beyond the limit of tensors nothing is gained.
MAX_ENTRIES = 2 * MAX_TENSORS
MAX_DIRECTORY_BYTES = 128 << 20
_CENTRAL = struct.Struct("<4s4xHH4xIIIHHHHHII")
_LOCAL = struct.Struct("<4s22xHH")
_END = struct.Struct("<4sHHHHIIH")
_LOCATOR = struct.Struct("<4sIQI")
_END64 = struct.Struct("<4sQHHIIQQQQ")
_EXTRA = struct.Struct("<HH")
_ZIP64_EXTRA = 1
_FULL16, _FULL32 = 0xFFFF, 0xFFFF_FFFF
_STORED = 0
_ENCRYPTED = 1
_WINDOW_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """One file of an archive. `offset` is where its data begins; they are its content only if it `is_stored`."""

    name: str
    offset: int
    n_bytes: int
    is_stored: bool


def read_zip_directory(source: ByteSource) -> tuple[ZipEntry, ...] | None:
    """Return the entries of a zip archive in ascending order of offset, None if the source is none that makes sense.

    Raises:
        TruncatedData: the source is shorter than it said.
    """
    if source.size_bytes < _END.size or bytes(source.read_at(0, 4)) != LOCAL_MAGIC:
        return None
    try:
        n_entries, begin, n_bytes = _find_directory(source)
        heads = sorted(
            _parse_directory(bytes(source.read_at(begin, n_bytes)), n_entries), key=_get_header_offset
        )
        entries = tuple(_read_local_headers(source, heads, begin))
    except Unreadable:
        return None
    return entries if len({entry.name for entry in entries}) == len(entries) else None


@dataclass(frozen=True, slots=True)
class _Head:
    name: bytes
    header_offset: int
    stored_bytes: int
    n_bytes: int
    is_stored: bool


def _get_header_offset(head: _Head) -> int:
    return head.header_offset


def _find_directory(source: ByteSource) -> tuple[int, int, int]:
    """Return the number of entries, and where the directory is."""
    end_offset = source.size_bytes - _END.size
    magic, _, _, _, n_entries, n_bytes, begin, comment_bytes = _END.unpack(
        source.read_at(end_offset, _END.size)
    )
    _require(magic == b"PK\x05\x06" and comment_bytes == 0)
    if n_entries == _FULL16 or _FULL32 in (n_bytes, begin):
        n_entries, n_bytes, begin, end_offset = _read_end64(source, end_offset - _LOCATOR.size)
    _require(begin + n_bytes <= end_offset)
    _require(0 < n_entries <= MAX_ENTRIES and n_entries * _CENTRAL.size <= n_bytes <= MAX_DIRECTORY_BYTES)
    return n_entries, begin, n_bytes


def _read_end64(source: ByteSource, locator_offset: int) -> tuple[int, int, int, int]:
    _require(locator_offset >= _END64.size)
    magic, _, end_offset, _ = _LOCATOR.unpack(source.read_at(locator_offset, _LOCATOR.size))
    _require(magic == b"PK\x06\x07" and end_offset + _END64.size <= locator_offset)
    magic, *_, n_entries, n_bytes, begin = _END64.unpack(source.read_at(end_offset, _END64.size))
    _require(magic == b"PK\x06\x06")
    return n_entries, n_bytes, begin, end_offset


def _parse_directory(directory: bytes, n_entries: int) -> Iterator[_Head]:
    position = 0
    for _ in range(n_entries):
        _require(position + _CENTRAL.size <= len(directory))
        magic, flags, method, _, stored, plain, n_name, n_extra, n_comment, _, _, _, offset = (
            _CENTRAL.unpack_from(directory, position)
        )
        name_end = position + _CENTRAL.size + n_name
        position = name_end + n_extra + n_comment
        _require(magic == b"PK\x01\x02" and position <= len(directory))
        if _FULL32 in (plain, stored, offset):
            extra = directory[name_end : name_end + n_extra]
            plain, stored, offset = _take_long_numbers(extra, (plain, stored, offset))
        is_stored = method == _STORED and plain == stored and not flags & _ENCRYPTED
        yield _Head(directory[name_end - n_name : name_end], offset, stored, plain, is_stored)
    _require(position == len(directory))


def _take_long_numbers(extra: bytes, numbers: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the numbers, with those that did not fit taken from the zip64 field, which has only these, in order."""
    field = iter(struct.iter_unpack("<Q", _find_zip64_field(extra)))
    plain, stored, offset = (next(field, (-1,))[0] if number == _FULL32 else number for number in numbers)
    _require(min(plain, stored, offset) >= 0)
    return plain, stored, offset


def _find_zip64_field(extra: bytes) -> bytes:
    position = 0
    while position + _EXTRA.size <= len(extra):
        kind, n_bytes = _EXTRA.unpack_from(extra, position)
        position += _EXTRA.size
        if kind == _ZIP64_EXTRA:
            return extra[position : position + n_bytes // 8 * 8]
        position += n_bytes
    raise Unreadable


def _read_local_headers(source: ByteSource, heads: list[_Head], directory_begin: int) -> Iterator[ZipEntry]:
    """Yield entries, proven to lie one after another in front of the directory."""
    window, window_begin = b"", 0
    ends = [head.header_offset for head in heads[1:]] + [directory_begin]
    for head, end in zip(heads, ends, strict=True):
        header_bytes = _LOCAL.size + len(head.name)
        _require(head.header_offset + header_bytes <= end <= directory_begin)
        if head.header_offset + header_bytes > window_begin + len(window):
            is_small = (
                end - head.header_offset < _WINDOW_BYTES
            )  # its neighbours may come with the same reading
            wanted = min(max(_WINDOW_BYTES, header_bytes), directory_begin - head.header_offset)
            window_begin = head.header_offset
            window = bytes(source.read_at(window_begin, wanted if is_small else header_bytes))
        begin = head.header_offset - window_begin
        magic, n_name, n_extra = _LOCAL.unpack_from(window, begin)
        _require(magic == LOCAL_MAGIC and n_name == len(head.name))
        _require(window[begin + _LOCAL.size : begin + header_bytes] == head.name)
        offset = head.header_offset + header_bytes + n_extra
        _require(offset + head.stored_bytes <= end)
        yield ZipEntry(
            head.name.decode("utf-8", "backslashreplace"), offset, head.stored_bytes, head.is_stored
        )


def _require(holds: bool) -> None:
    if not holds:
        raise Unreadable
