"""Where bytes come from: the ByteSource protocol and its local implementations.

Sources that need a network live outside the codec; anything with `size_bytes` and `read_at` will do.
"""

import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from weightzip.errors import TruncatedData

if TYPE_CHECKING:
    from typing_extensions import Self

BytesLike = bytes | bytearray | memoryview


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
    """A ByteSource over a local file, by pread: no shared position, and no mapping that the owner may cut."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._file = self.path.open("rb", buffering=0)
        self._size_bytes = os.fstat(self._file.fileno()).st_size

    @property
    def size_bytes(self) -> int:
        return self._size_bytes

    def fileno(self) -> int:
        """Return the descriptor, for fstat."""
        return self._file.fileno()

    def read_at(self, offset: int, n_bytes: int) -> bytearray:
        data = bytearray(n_bytes)
        view = memoryview(data)
        done = 0
        while done < n_bytes:
            n_read = os.preadv(self._file.fileno(), [view[done:]], offset + done)
            if n_read == 0:
                raise TruncatedData(
                    f"{self.path}: {n_bytes} bytes wanted at {offset}, it ends at {offset + done}"
                )
            done += n_read
        return data

    def close(self) -> None:
        """Close the file; reads fail from then on."""
        self._file.close()

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
