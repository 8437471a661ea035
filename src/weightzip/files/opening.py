"""Opening what the file operations work on: local files, archives by path or URL, predecessors of every kind."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from weightzip.codec.backend import CpuBackend
from weightzip.codec.format.header import MAGIC
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.predecessor import ArchivePredecessor, FilePredecessor, Predecessor
from weightzip.codec.reader import Archive
from weightzip.codec.source import ByteSource, FileSource
from weightzip.errors import NotFound, UsageError
from weightzip.files.catalog import Catalog, CatalogEntry
from weightzip.files.neighbours import list_neighbours
from weightzip.files.url_source import UrlSource

PathLike = str | os.PathLike[str]
Base = PathLike | Archive | Predecessor
FindMovedBases = Callable[[Sequence[TensorRange]], Sequence[Base]]
"""Returns files of the predecessor that hold any of these tensors."""


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
    What is not given is looked for among the archives (`*.wzst`) in the folder of an archive on disk.
    Over a network this reads the footer and the index; each tensor then costs one ranged read per contiguous run
    of its frames.

    Raises:
        NotAnArchive, CorruptData, TruncatedData, UnsupportedVersion: this is no sound archive.
        NotFound: there is nothing at that place.
        UsageError: the package that serves the URL is not installed.
    """
    name = os.fspath(url_or_file)
    given = [*beside, *([base] if base is not None else [])]
    if "://" in name:
        return _open(UrlSource(name, storage_options), name, given, _find_nothing, n_threads)
    path = Path(name)
    find = partial(_find_missing, Catalog(list_neighbours(path)), path, given)
    return _open(open_source(path), name, given, find, n_threads)


def open_with(
    path: Path, entries: Sequence[CatalogEntry], given: Sequence[Predecessor], n_threads: int
) -> Archive:
    """Open an archive on disk with other archives, each of which may lean on earlier ones, and with what is given.

    Raises as open_archive does.
    """
    return _open(open_source(path), str(path), given, lambda archive, opened: entries, n_threads)


def open_alone(url_or_file: PathLike) -> Archive:
    """Open an archive as open_archive does, for what its header and index tell: no other file is looked for."""
    name = os.fspath(url_or_file)
    source = UrlSource(name) if "://" in name else open_source(Path(name))
    return _open(source, name, (), _find_nothing, 0)


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
def open_base(
    base: Base | None, n_threads: int = 0, catalog: Catalog | None = None
) -> Iterator[Predecessor | None]:
    """Yield the predecessor that `base` means, and close what was opened for it.

    What an archive leans on is looked for in the catalog, or without one in its folder.
    """
    predecessor, close = _open_base(base, n_threads, catalog)
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


def _open(
    source: FileSource | UrlSource,
    name: str,
    files: Sequence[Base],
    find: Callable[[Archive, Sequence[Predecessor]], Sequence[CatalogEntry]],
    n_threads: int,
) -> Archive:
    """Open an archive with the files and with the archives that are found for what it needs besides."""
    opened = ExitStack()
    with ExitStack() as undo:
        undo.callback(opened.close)
        opened.callback(source.close)
        given = opened.enter_context(open_beside(files, n_threads))
        build = partial(Archive, source, backend=CpuBackend(n_threads), name=name, owned=(opened.close,))
        archive = build(beside=given)
        found = _open_entries(find(archive, given), given, n_threads, opened)
        archive = build(beside=[*given, *found]) if found else archive
        undo.pop_all()  # they are the archive's from here on
    return archive


def _find_missing(
    catalog: Catalog, path: Path, files: Sequence[Base], archive: Archive, opened: Sequence[Predecessor]
) -> Sequence[CatalogEntry]:
    """Return the archives of what an archive leans on, unless that is known to be among the files that were opened.

    Raw files by path are not known: it would cost reading them whole. That one has the size of a file that is needed
    proves nothing: two steps of one optimizer have the same.
    """
    if not archive.index.frames.list_references():
        return ()  # the header is not read: it may be damaged, and nobody needs it
    known_digests = {
        one.digest.hex()
        for file, one in zip(files, opened, strict=True)
        if not (isinstance(file, str | os.PathLike) and isinstance(one, FilePredecessor))
    }
    return catalog.list_needed(path, archive.info.needed_digests, known_digests)


def _open_entries(
    entries: Sequence[CatalogEntry], given: Sequence[Predecessor], n_threads: int, opened: ExitStack
) -> list[Predecessor]:
    """Open archives, each of which may lean on earlier ones."""
    files: list[Predecessor] = []
    for entry in entries:
        archive = Archive(
            opened.enter_context(FileSource(entry.archive)),
            beside=[*given, *files],
            backend=CpuBackend(n_threads),
            name=str(entry.archive),
        )
        files.append(ArchivePredecessor(archive))
    return files


def _find_nothing(archive: Archive, opened: Sequence[Predecessor]) -> Sequence[CatalogEntry]:
    return ()


def _open_base(
    base: Base | None, n_threads: int, catalog: Catalog | None
) -> tuple[Predecessor | None, Callable[[], None]]:
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
        catalog = catalog if catalog is not None else Catalog(list_neighbours(path))
        find = partial(_find_missing, catalog, path, ())
        opened = ArchivePredecessor(_open(open_source(path), str(path), (), find, n_threads))
    else:
        opened = FilePredecessor(path, n_threads=n_threads)
    return opened, opened.close


def _has_magic(source: ByteSource) -> bool:
    return source.size_bytes >= len(MAGIC) and bytes(source.read_at(0, len(MAGIC))) == MAGIC


def _do_nothing() -> None:
    """Stand in for close where the caller keeps what it gave."""
