"""Reads the fields of a file of any size in order, and leaps over what is data. No format is known here."""

from struct import Struct

from weightzip.codec.containers.unreadable import Unreadable
from weightzip.codec.source import ByteSource

# Far above what models have, and some ten seconds at the worst.
MAX_SCANNED_ITEMS = 4_000_000
MAX_FIELD_BYTES = 1 << 20
_WINDOW_BYTES = 64 << 10
_U32, _U64 = Struct("<I"), Struct("<Q")


class ScanCursor:
    """A cursor over untrusted bytes of a source: no field leads outside, and the work has an end."""

    def __init__(self, source: ByteSource) -> None:
        self._source, self._end = source, source.size_bytes
        self._window, self._window_begin = memoryview(b""), 0
        self._n_items = 0
        self.position = 0

    @property
    def remaining(self) -> int:
        """Return how many bytes follow the position."""
        return self._end - self.position

    def take(self, n_bytes: int) -> memoryview:
        """Return the next n_bytes.

        Raises:
            Unreadable: the file ends before, or no field is that long.
        """
        if n_bytes > min(self.remaining, MAX_FIELD_BYTES):
            raise Unreadable
        begin = self.position - self._window_begin
        if not 0 <= begin <= len(self._window) - n_bytes:
            wanted = min(max(n_bytes, _WINDOW_BYTES), self.remaining)
            self._window = memoryview(self._source.read_at(self.position, wanted)).cast("B")
            self._window_begin, begin = self.position, 0
        self.position += n_bytes
        return self._window[begin : begin + n_bytes]

    def skip(self, n_bytes: int) -> None:
        """Go on behind n_bytes, which may lie outside the window and are not read.

        Raises:
            Unreadable: the file ends before.
        """
        if n_bytes > self.remaining:
            raise Unreadable
        self.position += n_bytes

    def count_items(self, n_items: int = 1) -> None:
        """Note that n_items are about to be read one by one.

        Raises:
            Unreadable: they are more than any model has.
        """
        self._n_items += n_items
        if self._n_items > MAX_SCANNED_ITEMS:
            raise Unreadable

    def u8(self) -> int:
        return self.take(1)[0]

    def u32(self) -> int:
        return int(_U32.unpack(self.take(4))[0])

    def u64(self) -> int:
        return int(_U64.unpack(self.take(8))[0])

    def big_endian(self, n_bytes: int) -> int:
        """Return an unsigned number of n_bytes, the highest byte first."""
        return int.from_bytes(self.take(n_bytes), "big")

    def text(self, n_bytes: int) -> str:
        """Return n_bytes of UTF-8.

        Raises:
            Unreadable: they are none.
        """
        try:
            return str(self.take(n_bytes), "utf-8")
        except UnicodeDecodeError as error:
            raise Unreadable from error
