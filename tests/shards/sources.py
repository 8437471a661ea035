"""A source that counts what is read from it."""

from weightzip.codec.source import MemorySource


class CountingSource:
    """A ByteSource in memory that records every read as (offset, n_bytes)."""

    def __init__(self, data: bytes) -> None:
        self._inner = MemorySource(data)
        self.reads: list[tuple[int, int]] = []

    @property
    def size_bytes(self) -> int:
        return self._inner.size_bytes

    def read_at(self, offset: int, n_bytes: int) -> memoryview:
        self.reads.append((offset, n_bytes))
        return self._inner.read_at(offset, n_bytes)
