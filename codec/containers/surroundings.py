"""The files around a shard. Some containers keep the names of their tensors in another file of the checkpoint."""

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Protocol

from weightzip.codec.source import ByteSource, FileSource


class Surroundings(Protocol):
    """Where a shard lies, as far as its container may ask."""

    @property
    def name(self) -> str:
        """Return the name of the shard within its directory; empty if it has none."""

    def open_file(self, name: str) -> AbstractContextManager[ByteSource | None]:
        """Open the file of that name in the same directory; None if there is none that may be read.

        The name may come from an untrusted file: whatever is not a plain name is not there.
        """


class NoSurroundings:
    """A shard that lies nowhere, such as one from a pipe."""

    name = ""

    @contextmanager
    def open_file(self, name: str) -> Iterator[None]:
        yield None


class DirectorySurroundings:
    """The directory that a shard lies in. A file is opened when it is asked for, and closed soon."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._directory, self.name = Path(path).parent, Path(path).name

    @contextmanager
    def open_file(self, name: str) -> Iterator[ByteSource | None]:
        path = self._directory / name
        with _open_file(path) if _is_plain(name) else nullcontext() as source:
            yield source


def _open_file(path: Path) -> AbstractContextManager[FileSource | None]:
    """Open a regular file that is no link. One that may not be read, or was removed meanwhile, is not there."""
    try:
        return FileSource(path) if stat.S_ISREG(path.lstat().st_mode) else nullcontext()
    except OSError:
        return nullcontext()


def _is_plain(name: str) -> bool:
    return name not in {"", ".", ".."} and "/" not in name and "\0" not in name
