"""msgpack files: one value that ends where the file does."""

from weightzip.codec.containers.msgpack_cursor import Kind, read_head
from weightzip.codec.containers.scan_cursor import ScanCursor
from weightzip.codec.containers.unreadable import Unreadable
from weightzip.codec.source import ByteSource

_SKIPPED = {Kind.PLAIN, Kind.TEXT, Kind.BYTES, Kind.EXTENSION}
_ITEMS = {Kind.ARRAY: 1, Kind.MAP: 2}


def find_msgpack_problem(source: ByteSource) -> tuple[str | None, bool]:
    """Say why a msgpack file is not whole, and whether its structure shows that it is."""
    cursor = ScanCursor(source)
    n_open = 1
    try:
        while n_open:
            cursor.count_items()
            head = read_head(cursor)
            n_open += _ITEMS.get(head.kind, 0) * head.size - 1
            if head.kind in _SKIPPED:
                cursor.skip(head.size)
    except Unreadable:
        return f"is not msgpack to its end at byte {cursor.position}", False
    if cursor.remaining:
        return f"has {cursor.remaining} bytes after its msgpack value", False
    return None, True
