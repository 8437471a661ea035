"""Opening what the file operations work on: local files, archives by path or URL, predecessors of every kind."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from weightzip.codec.backend import CpuBackend
from weightzip.codec.format.header import MAGIC
from weightzip.codec.predecessor import ArchivePredecessor, FilePredecessor, Predecessor
from weightzip.codec.reader import Archive
from weightzip.codec.source import ByteSource, FileSource
from weightzip.errors import NotFound, UsageError
from weightzip.files.url_source import UrlSource

PathLike = str | os.PathLike[str]
Base = PathLike | Archive | Predecessor


def open_archive(
    url_or_file: PathLike,
    *,
    base: Base | None = None,
    beside: Sequence[Base] = (),
    storage_options: Mapping[str, Any] | None = None,
    n_threads: int = 0,
) -> Archive:
    """Open an archive on disk or at any fsspec URL for random access.

    `base` and `beside` are the files that it may lean on, raw or as archives; which is which, their digests tell.
    Over a network this reads the footer and the index; each tensor then costs one ranged read per contiguous run
    of its frames.

    Raises:
        NotAnArchive, CorruptData, TruncatedData, UnsupportedVersion: this is no sound archive.
        NotFound: there is nothing at that place.
        UsageError: the package that serves the URL is not installed.
    """
    name = os.fspath(url_or_file)
    source: FileSource | UrlSource
    source = UrlSource(name, storage_options) if "://" in name else open_source(Path(name))
    opened = ExitStack()
    with ExitStack() as undo:
        undo.callback(opened.close)
        opened.callback(source.close)
        archive = Archive(
            source,
            predecessor=opened.enter_context(open_base(base, n_threads)),
            beside=opened.enter_context(open_beside(beside, n_threads)),
            backend=CpuBackend(n_threads),
            name=name,
            owned=(opened.close,),
        )
        undo.pop_all()  # they are the archive's from here on
    return archive


def open_source(path: Path) -> FileSource:
    """Open a regular local file.

    Raises:
        NotFound, UsageError: it is not there, or no regular file.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UsageError(f"{path}: is not a regular file")
        return FileSource(path)
    except FileNotFoundError as error:
        raise NotFound(f"{path}: no such file") from error


@contextmanager
def open_base(base: Base | None, n_threads: int = 0) -> Iterator[Predecessor | None]:
    """Yield the predecessor that `base` means, and close what was opened for it."""
    predecessor, close = _open_base(base, n_threads)
    try:
        yield predecessor
    finally:
        close()


@contextmanager
def open_beside(beside: Sequence[Base], n_threads: int = 0) -> Iterator[Sequence[Predecessor]]:
    """Yield the files that `beside` means, and close those that were opened for it."""
    with ExitStack() as opened:
        files = [opened.enter_context(open_base(one, n_threads)) for one in beside]
        yield [file for file in files if file is not None]


def _open_base(base: Base | None, n_threads: int) -> tuple[Predecessor | None, Callable[[], None]]:
    if base is None:
        return None, _do_nothing
    if isinstance(base, Archive):
        return ArchivePredecessor(base), _do_nothing
    if not isinstance(base, str | os.PathLike):
        return base, _do_nothing
    path = Path(base)
    with open_source(path) as source:
        is_archive = _has_magic(source)
    opened: ArchivePredecessor | FilePredecessor
    if is_archive:
        opened = ArchivePredecessor(open_archive(path, n_threads=n_threads))
    else:
        opened = FilePredecessor(path, n_threads=n_threads)
    return opened, opened.close


def _has_magic(source: ByteSource) -> bool:
    return source.size_bytes >= len(MAGIC) and bytes(source.read_at(0, len(MAGIC))) == MAGIC


def _do_nothing() -> None:
    """Stand in for close where the caller keeps what it gave."""
