"""The files of one checkpoint that those which follow may lean on: opened once, kept open, closed together."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from weightzip.codec.predecessor import FilePredecessor
from weightzip.errors import SourceChanged

if TYPE_CHECKING:
    from typing_extensions import Self

# They stay open, and each file that follows is compared with their tensors.
MAX_BESIDE = 64


def rank_file(size_bytes: int, path: str | os.PathLike[str]) -> tuple[int, str]:
    """Return what sorts the files of a checkpoint into the order in which they are compressed: the largest first.

    A copy of the weights in bf16 is smaller than the state of the optimizer that holds what it was made from, and only
    files that come later can lean on it.
    """
    return -size_bytes, os.fspath(path)


class BesideFiles:
    """Raw files to give to compress_file as `beside`. A context manager; offer them in the order of rank_file."""

    def __init__(self, n_threads: int = 0) -> None:
        self._n_threads = n_threads
        self._opened = ExitStack()
        self._files: dict[Path, FilePredecessor] = {}

    @property
    def files(self) -> Sequence[FilePredecessor]:
        """Return the files that were taken, in order."""
        return tuple(self._files.values())

    def offer(self, path: Path, digest: str, *, leans: bool) -> None:
        """Take a file, unless there are enough or it has no tensors. `digest` is its BLAKE3 digest in hex.

        `leans` says that the file, or what it needs, leans on files beside it already: then it is not taken, or
        restoring would need one after the other.

        Raises:
            SourceChanged: the file is gone.
        """
        if leans or len(self._files) == MAX_BESIDE:
            return
        try:
            file = FilePredecessor(path, n_threads=self._n_threads, digest=bytes.fromhex(digest))
        except FileNotFoundError as error:
            raise SourceChanged(f"{path} vanished after it was read") from error
        with ExitStack() as undo:  # there may be thousands of files without tensors: none of them stays open
            undo.callback(file.close)
            if file.tensors:
                self._files[path] = file
                self._opened.push(undo.pop_all())

    def find_paths(self, digests: Sequence[str]) -> tuple[Path, ...]:
        """Return which of the files these digests name."""
        return tuple(path for path, file in self._files.items() if file.digest.hex() in digests)

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()
