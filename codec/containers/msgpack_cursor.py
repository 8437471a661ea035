"""The values of a msgpack file, head by head. What they mean to whoever wrote them is not known here."""

from dataclasses import dataclass
from enum import Enum, auto

from weightzip.codec.containers.scan_cursor import ScanCursor
from weightzip.codec.containers.unreadable import Unreadable


class Kind(Enum):
    """What a value is."""

    INTEGER = auto()
    PLAIN = auto()
    TEXT = auto()
    BYTES = auto()
    ARRAY = auto()
    MAP = auto()
    EXTENSION = auto()


@dataclass(frozen=True, slots=True)
class Head:
    """The front of a value. `size` counts the bytes that follow, the items of an array, or the pairs of a map.

    It is the number itself if the value is one; -1 stands for all negative ones.
    """

    kind: Kind
    size: int = 0
    extension: int = 0


# Heads that tell the size of what follows, by their first byte: the bytes that the size takes.
_SIZED = {
    0xC4: (Kind.BYTES, 1),
    0xC5: (Kind.BYTES, 2),
    0xC6: (Kind.BYTES, 4),
    0xC7: (Kind.EXTENSION, 1),
    0xC8: (Kind.EXTENSION, 2),
    0xC9: (Kind.EXTENSION, 4),
    0xCC: (Kind.INTEGER, 1),
    0xCD: (Kind.INTEGER, 2),
    0xCE: (Kind.INTEGER, 4),
    0xCF: (Kind.INTEGER, 8),
    0xD9: (Kind.TEXT, 1),
    0xDA: (Kind.TEXT, 2),
    0xDB: (Kind.TEXT, 4),
    0xDC: (Kind.ARRAY, 2),
    0xDD: (Kind.ARRAY, 4),
    0xDE: (Kind.MAP, 2),
    0xDF: (Kind.MAP, 4),
}
# Heads that are followed by as many bytes as their first byte says. Integers are signed here, and no one asks for them.
_FIXED = {
    0xC0: (Kind.PLAIN, 0),
    0xC2: (Kind.PLAIN, 0),
    0xC3: (Kind.PLAIN, 0),
    0xCA: (Kind.PLAIN, 4),
    0xCB: (Kind.PLAIN, 8),
    0xD0: (Kind.PLAIN, 1),
    0xD1: (Kind.PLAIN, 2),
    0xD2: (Kind.PLAIN, 4),
    0xD3: (Kind.PLAIN, 8),
    0xD4: (Kind.EXTENSION, 1),
    0xD5: (Kind.EXTENSION, 2),
    0xD6: (Kind.EXTENSION, 4),
    0xD7: (Kind.EXTENSION, 8),
    0xD8: (Kind.EXTENSION, 16),
}


def read_head(cursor: ScanCursor) -> Head:
    """Return the head of the next value; what it is followed by is left to the caller.

    Raises:
        Unreadable: there is none, or its first byte is reserved.
    """
    first = cursor.u8()
    if first in _SIZED:
        kind, width = _SIZED[first]
        size = cursor.big_endian(width)
        return Head(kind, size, cursor.u8() if kind == Kind.EXTENSION else 0)
    if first in _FIXED:
        kind, size = _FIXED[first]
        return Head(kind, size, cursor.u8() if kind == Kind.EXTENSION else 0)
    return _split_first(first)


def _split_first(first: int) -> Head:
    """Return the head that is a single byte: its upper bits say what it is, the others how many."""
    if first < 0x80:
        return Head(Kind.INTEGER, first)
    if first < 0x90:
        return Head(Kind.MAP, first & 0x0F)
    if first < 0xA0:
        return Head(Kind.ARRAY, first & 0x0F)
    if first < 0xC0:
        return Head(Kind.TEXT, first & 0x1F)
    if first >= 0xE0:
        return Head(Kind.INTEGER, -1)
    raise Unreadable
