"""A source that must not change while it is read."""

import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from weightzip.codec.source import BytesLike
from weightzip.errors import SourceChanged, TruncatedData
from weightzip.files.opening import open_source

if TYPE_CHECKING:
    from typing_extensions import Self


class StableSource:
    """A local file as a ByteSource that notices when its owner writes to it, cuts it or replaces it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._source = open_source(path)
        self.stat = os.fstat(self._source.fileno())

    @property
    def size_bytes(self) -> int:
        return self.stat.st_size

    def read_at(self, offset: int, n_bytes: int) -> BytesLike:
        try:
            return self._source.read_at(offset, n_bytes)
        except TruncatedData as error:
            raise SourceChanged(f"{self._path}: it became shorter while it was read") from error

    def check(self) -> None:
        """Raise SourceChanged unless the file is what it was when it was opened.

        Its removal is no change: what is open here stays whole.
        """
        now = os.fstat(self._source.fileno())
        if (now.st_size, now.st_mtime_ns) != (self.stat.st_size, self.stat.st_mtime_ns):
            raise SourceChanged(f"{self._path}: it was written to while it was read")
        if self._path.exists() and not os.path.samestat(self._path.stat(), self.stat):
            raise SourceChanged(f"{self._path}: it was replaced while it was read")

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._source.close()
