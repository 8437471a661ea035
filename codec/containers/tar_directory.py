"""The members of an uncompressed tar file: ustar, with the long names of GNU and of pax. What they hold is not known here."""

from collections.abc import Iterator
from dataclasses import dataclass

from weightzip.codec.containers.unreadable import Unreadable
from weightzip.codec.source import ByteSource

_BLOCK_BYTES = 512
_MAGIC, _MAGIC_AT = b"ustar", 257
_CHECKSUM_AT, _CHECKSUM_BYTES = 148, 8
_MAX_MEMBERS = 1 << 16
_MAX_LONG_BYTES = 64 << 10
_REGULAR, _PAX, _PAX_ALL, _LONG_NAME, _LONG_LINK = {b"0", b"\0", b"7"}, b"x", b"g", b"L", b"K"
# Links, devices, directories: no data follows, whatever the size says.
_EMPTY = {b"1", b"2", b"3", b"4", b"5", b"6"}


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a tar: its path without a leading `./`, and where its bytes are."""

    path: str
    offset: int
    n_bytes: int


def list_members(source: ByteSource) -> list[Member]:
    """Return the regular files of a tar in order.

    Raises:
        Unreadable: it is none, or does not end as one, or has sparse files.
    """
    return list(_Walk(source).walk())


def may_be_tar(source: ByteSource) -> bool:
    """Return whether a file begins as a tar does."""
    end = _MAGIC_AT + len(_MAGIC)
    return source.size_bytes >= end and source.read_at(_MAGIC_AT, len(_MAGIC)) == _MAGIC


@dataclass(frozen=True, slots=True)
class _Header:
    """The fields of a header that matter here."""

    path: str
    kind: bytes
    n_bytes: int


class _Walk:
    """One pass over the headers. What a long-name header says holds for the next member alone."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._position = 0
        self._path: str | None = None
        self._n_bytes: int | None = None

    def walk(self) -> Iterator[Member]:
        for _ in range(_MAX_MEMBERS):
            block = self._take(_BLOCK_BYTES)
            if not any(block):
                self._expect_end()
                return
            header = _parse_header(block)
            if header.kind in {_PAX, _PAX_ALL, _LONG_NAME, _LONG_LINK}:
                self._note(header.kind, self._take_long(header.n_bytes))
            elif header.kind in _REGULAR:
                yield self._take_member(header)
            elif header.kind in _EMPTY:
                self._path = self._n_bytes = None
            else:
                raise Unreadable
        raise Unreadable

    def _take(self, n_bytes: int) -> bytes:
        if n_bytes > self._source.size_bytes - self._position:
            raise Unreadable
        data = bytes(self._source.read_at(self._position, n_bytes))
        self._position += n_bytes
        return data

    def _expect_end(self) -> None:
        """A second block of zeros ends a tar; then it is filled up with more of them."""
        if any(self._take(_BLOCK_BYTES)):
            raise Unreadable

    def _take_long(self, n_bytes: int) -> bytes:
        if n_bytes > _MAX_LONG_BYTES:
            raise Unreadable
        return self._take(_round_up(n_bytes))[:n_bytes]

    def _note(self, kind: bytes, data: bytes) -> None:
        if kind == _LONG_NAME:
            self._path = _decode(data)
        elif kind == _PAX:
            records = dict(_split_records(data))
            self._path = _decode(records[b"path"]) if b"path" in records else self._path
            self._n_bytes = _parse_decimal(records[b"size"]) if b"size" in records else self._n_bytes
            if any(key.startswith(b"GNU.sparse") for key in records):
                raise Unreadable

    def _take_member(self, header: _Header) -> Member:
        n_bytes = header.n_bytes if self._n_bytes is None else self._n_bytes
        path = header.path if self._path is None else self._path
        self._path = self._n_bytes = None
        begin, end = self._position, self._position + _round_up(n_bytes)
        if end > self._source.size_bytes:
            raise Unreadable
        self._position = end
        return Member(path.removeprefix("./"), begin, n_bytes)


def _parse_header(block: bytes) -> _Header:
    summed = block[:_CHECKSUM_AT] + b" " * _CHECKSUM_BYTES + block[_CHECKSUM_AT + _CHECKSUM_BYTES :]
    if sum(summed) != _parse_octal(block[_CHECKSUM_AT : _CHECKSUM_AT + _CHECKSUM_BYTES]):
        raise Unreadable
    if block[_MAGIC_AT : _MAGIC_AT + len(_MAGIC)] != _MAGIC:
        raise Unreadable
    name, prefix = _decode(block[:100]), _decode(block[345:500])
    is_ustar = block[263:265] == b"00"  # GNU keeps times where the prefix would be
    return _Header(
        f"{prefix}/{name}" if prefix and is_ustar else name, block[156:157], _parse_size(block[124:136])
    )


def _parse_size(field: bytes) -> int:
    if field[0] & 0x80:  # GNU: a number of 95 bits, the highest byte first
        return int.from_bytes(field, "big") & ((1 << 95) - 1)
    return _parse_octal(field)


def _parse_octal(field: bytes) -> int:
    digits = field.split(b"\0", 1)[0].strip(b" ")
    if digits.strip(b"01234567"):
        raise Unreadable
    return int(digits or b"0", 8)


def _parse_decimal(text: bytes) -> int:
    if not text.isdigit() or len(text) > 19:
        raise Unreadable
    return int(text)


def _split_records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the pairs of a pax header: `27 path=name` and a newline, where 27 counts all of it."""
    position = 0
    while position < len(data):
        size, space, _ = data[position : position + 12].partition(b" ")
        end = position + (_parse_decimal(size) if space else 0)
        key, equals, value = data[position + len(size) + 1 : end - 1].partition(b"=")
        if not equals or end > len(data) or data[end - 1 : end] != b"\n":
            raise Unreadable
        yield key, value
        position = end


def _decode(field: bytes) -> str:
    try:
        return field.split(b"\0", 1)[0].decode()
    except UnicodeDecodeError as error:
        raise Unreadable from error


def _round_up(n_bytes: int) -> int:
    return -(-n_bytes // _BLOCK_BYTES) * _BLOCK_BYTES
