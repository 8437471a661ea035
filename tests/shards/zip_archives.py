"""Zip archives built field by field, as torch writes them and as nobody should, on files larger than memory."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

_FULL32 = 0xFFFF_FFFF


@dataclass(frozen=True)
class Entry:
    """One file of an archive: where its local header is, how many bytes its data has, and what else is told of it."""

    name: bytes
    header_offset: int
    n_bytes: int
    local_extra: bytes = b""
    local_name: bytes | None = None
    flags: int = 0x0808
    method: int = 0

    @property
    def local_header(self) -> bytes:
        name = self.name if self.local_name is None else self.local_name
        return (
            struct.pack("<4s22xHH", b"PK\x03\x04", len(name), len(self.local_extra)) + name + self.local_extra
        )

    @property
    def data_offset(self) -> int:
        return self.header_offset + len(self.local_header)


@dataclass(frozen=True)
class SparseSource:
    """A ByteSource of any size: zeros, and what was put somewhere."""

    size_bytes: int
    pieces: tuple[tuple[int, bytes], ...]

    def read_at(self, offset: int, n_bytes: int) -> bytes:
        assert 0 <= offset <= offset + n_bytes <= self.size_bytes
        out = bytearray(n_bytes)
        for begin, piece in self.pieces:
            first, last = max(begin, offset), min(begin + len(piece), offset + n_bytes)
            if first < last:
                out[first - offset : last - offset] = piece[first - begin : last - begin]
        return bytes(out)


@dataclass(frozen=True)
class Archive:
    """Entries, and what the end says of their directory; fields that are None are told as they are.

    `pieces` are other bytes of the file, by their offsets.
    """

    entries: Sequence[Entry]
    directory_offset: int
    n_entries: int | None = None
    directory_bytes: int | None = None
    told_offset: int | None = None
    has_end64: bool = True
    tail: bytes = b""
    pieces: tuple[tuple[int, bytes], ...] = ()

    def build(self) -> SparseSource:
        """Return the archive; data are zeros."""
        directory = b"".join(map(_pack_central, self.entries))
        n_entries = len(self.entries) if self.n_entries is None else self.n_entries
        n_bytes = len(directory) if self.directory_bytes is None else self.directory_bytes
        offset = self.directory_offset if self.told_offset is None else self.told_offset
        end = self._pack_end(n_entries, n_bytes, offset, self.directory_offset + len(directory))
        pieces = [*self.pieces, *((entry.header_offset, entry.local_header) for entry in self.entries)]
        pieces.append((self.directory_offset, directory + end + self.tail))
        return SparseSource(self.directory_offset + len(directory) + len(end) + len(self.tail), tuple(pieces))

    def _pack_end(self, n_entries: int, n_bytes: int, offset: int, end_offset: int) -> bytes:
        if not self.has_end64:
            return _pack_end32(n_entries, n_bytes, offset)
        end64 = struct.pack(
            "<4sQHHIIQQQQ", b"PK\x06\x06", 44, 30, 45, 0, 0, n_entries, n_entries, n_bytes, offset
        )
        locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end_offset, 1)
        return end64 + locator + _pack_end32(0xFFFF, _FULL32, _FULL32)


def lay_out(*entries: Entry, gap_bytes: int = 16, has_end64: bool = True) -> Archive:
    """Return an archive of these entries one after another, with a data descriptor's space between them."""
    position, placed = 0, []
    for entry in entries:
        placed.append(replace(entry, header_offset=position))
        position = placed[-1].data_offset + entry.n_bytes + gap_bytes
    return Archive(placed, position, has_end64=has_end64)


def _pack_end32(n_entries: int, n_bytes: int, offset: int) -> bytes:
    return struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, n_entries, n_entries, n_bytes, offset, 0)


def _pack_central(entry: Entry) -> bytes:
    numbers = [entry.n_bytes, entry.n_bytes, entry.header_offset]
    long = [number for number in numbers if number >= _FULL32]
    extra = struct.pack(f"<HH{len(long)}Q", 1, 8 * len(long), *long) if long else b""
    plain, stored, offset = (min(number, _FULL32) for number in numbers)
    lengths = len(entry.name), len(extra), 0
    head = struct.pack("<4s4xHH4xI", b"PK\x01\x02", entry.flags, entry.method, 0)
    return head + struct.pack("<IIHHHHHII", stored, plain, *lengths, 0, 0, 0, offset) + entry.name + extra
