"""Where bytes come from: the ByteSource protocol and its local implementations.

Sources that need a network live outside the codec; anything with `size_bytes` and `read_at` will do.
"""

import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

import numpy as np

from weightzip.errors import SourceChanged, TruncatedData

if TYPE_CHECKING:
    from typing_extensions import Self

BytesLike = bytes | bytearray | memoryview


def allocate(n_bytes: int) -> memoryview:
    """Return writable memory of unknown content. NumPy neither clears it nor refuses huge pages, as bytearray does."""
    return np.empty(n_bytes, dtype=np.uint8).data


class ByteSource(Protocol):
    """Random access to a fixed number of bytes. Implementations are safe to call from several threads."""

    @property
    def size_bytes(self) -> int:
        """Return the number of bytes that can be read."""

    def read_at(self, offset: int, n_bytes: int) -> BytesLike:
        """Return exactly n_bytes from offset.

        Raises:
            TruncatedData: the source ends before.
        """


class MemorySource:
    """A ByteSource over bytes that are already in memory; reads copy nothing."""

    def __init__(self, data: BytesLike, name: str = "memory") -> None:
        self._data = memoryview(data).cast("B")
        self._name = name

    @property
    def size_bytes(self) -> int:
        return len(self._data)

    def read_at(self, offset: int, n_bytes: int) -> memoryview:
        if offset + n_bytes > len(self._data):
            raise TruncatedData(f"{self._name}: {n_bytes} bytes wanted at {offset}, it has {len(self._data)}")
        return self._data[offset : offset + n_bytes]


class FileSource:
    """A ByteSource over a local file, by pread: no shared position, and no mapping that the owner may cut.

    It notices when the owner of the file writes to it, cuts it or replaces it: reads and check_unchanged tell.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._file = self.path.open("rb", buffering=0)
        self.stat = os.fstat(self._file.fileno())

    @property
    def size_bytes(self) -> int:
        return self.stat.st_size

    def read_at(self, offset: int, n_bytes: int) -> memoryview:
        """Return exactly n_bytes from offset.

        Raises:
            TruncatedData: the file is too short for that.
            SourceChanged: it has become too short since it was opened.
        """
        if offset + n_bytes > self.size_bytes:
            raise TruncatedData(f"{self.path}: {n_bytes} bytes wanted at {offset}, it has {self.size_bytes}")
        data = allocate(n_bytes)
        done = 0
        while done < n_bytes:
            n_read = self._read_some(data[done:], offset + done)
            if n_read == 0:
                raise SourceChanged(f"{self.path}: it became shorter while it was read")
            done += n_read
        return data

    def _read_some(self, out: memoryview, offset: int) -> int:
        try:
            return os.preadv(self._file.fileno(), [out], offset)
        except OSError as error:
            error.filename = str(self.path)  # the system knows it as a number
            raise

    def check_unchanged(self) -> None:
        """Raise SourceChanged unless the file is what it was when it was opened.

        Its removal is no change: what is open here stays whole.
        """
        now = os.fstat(self._file.fileno())
        if (now.st_size, now.st_mtime_ns) != (self.stat.st_size, self.stat.st_mtime_ns):
            raise SourceChanged(f"{self.path}: it was written to while it was read")
        if self.path.exists() and not os.path.samestat(self.path.stat(), self.stat):
            raise SourceChanged(f"{self.path}: it was replaced while it was read")

    def close(self) -> None:
        """Close the file; reads fail from then on."""
        self._file.close()

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
