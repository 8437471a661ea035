"""Finds the items of a `.distcp` file from the file alone: complete torch zips, one after another, and nothing else.

The walk goes from the end to the front: the last bytes of a zip tell where it begins, while its front tells no size at
all. Items that DCP compressed end the walk.
"""

from struct import Struct

from weightzip.codec.format.limits import MAX_TENSORS
from weightzip.codec.source import ByteSource

ZIP_MAGIC = b"PK\x03\x04"
# torch always ends a zip with these three records, and no comment: the end of the directory in 64 bits, where that
# record lies, and the end of the directory as it was before.
_END_64 = Struct("<4s36xQQ")
_LOCATOR = Struct("<4s4xQ4x")
_END = Struct("<4s18x")
_TAIL_BYTES = _END_64.size + _LOCATOR.size + _END.size


def walk_items(source: ByteSource) -> list[tuple[int, int]]:
    """Return (offset, n_bytes) of the zips that tile a file, in order; nothing if there are none that do."""
    items: list[tuple[int, int]] = []
    end = source.size_bytes
    while end > 0:
        begin = _find_begin(source, end)
        if begin is None or len(items) == MAX_TENSORS:
            return []
        items.append((begin, end - begin))
        end = begin
    return items[::-1]


def _find_begin(source: ByteSource, end: int) -> int | None:
    """Return where the zip begins that ends at `end`, None if there is none."""
    if end < _TAIL_BYTES:
        return None
    tail = source.read_at(end - _TAIL_BYTES, _TAIL_BYTES)
    end_magic, directory_bytes, directory_offset = _END_64.unpack_from(tail)
    locator_magic, end_offset = _LOCATOR.unpack_from(tail, _END_64.size)
    (last_magic,) = _END.unpack_from(tail, _END_64.size + _LOCATOR.size)
    if (end_magic, locator_magic, last_magic) != (b"PK\x06\x06", b"PK\x06\x07", b"PK\x05\x06"):
        return None
    begin = end - _TAIL_BYTES - directory_bytes - directory_offset
    if begin < 0 or begin + end_offset != end - _TAIL_BYTES:
        return None
    return begin if source.read_at(begin, len(ZIP_MAGIC)) == ZIP_MAGIC else None
