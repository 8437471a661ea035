"""Opening what the file operations work on: local files, archives by path or URL, predecessors of every kind."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

from weightzip.codec.backend import CpuBackend
from weightzip.codec.format.header import MAGIC
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.predecessor import ArchivePredecessor, FilePredecessor, Predecessor
from weightzip.codec.reader import Archive
from weightzip.codec.source import FileSource
from weightzip.errors import NotFound, UsageError
from weightzip.files.catalog import Catalog, CatalogEntry, order_by_need
from weightzip.files.neighbours import list_neighbours
from weightzip.files.url_source import UrlSource

PathLike = str | os.PathLike[str]
Base = PathLike | Archive | Predecessor
Bases = Base | Sequence[Base]
"""A predecessor, or several files: the predecessor first, then what it leans on, in any order."""
FindMovedBases = Callable[[Sequence[TensorRange]], Sequence[Base]]
"""Returns files of the predecessor that hold any of these tensors."""


def open_archive(
    url_or_file: PathLike,
    *,
    base: Bases | None = None,
    beside: Sequence[Base] = (),
    storage_options: Mapping[str, Any] | None = None,
    n_threads: int = 0,
) -> Archive:
    """Open an archive on disk or at any fsspec URL for random access.

    `base` and `beside` are the files that it may lean on, raw or as archives; which is which, their digests tell. Those
    that are archives may lean on each other, too. What is not given is looked for among the archives (`*.wzst`) in the folder of an archive on disk.
    Over a network this reads the footer and the index; each tensor then costs one ranged read per contiguous run
    of its frames.

    Raises:
        NotAnArchive, CorruptData, TruncatedData, UnsupportedVersion: this is no sound archive.
        NotFound: there is nothing at that place.
        UsageError: the package that serves the URL is not installed.
    """
    name = os.fspath(url_or_file)
    given = [*beside, *list_bases(base)]
    if "://" in name:
        return _open(UrlSource(name, storage_options), name, given, _find_nothing, n_threads)
    path = Path(name)
    find = partial(_find_missing, Catalog(list_neighbours(path)), path)
    return _open(open_source(path), name, given, find, n_threads)


def list_bases(base: Bases | None) -> list[Base]:
    """Return what was given as `base`: nothing, one or several files."""
    if base is None:
        return []
    return list(base) if isinstance(base, list | tuple) else [cast(Base, base)]


def list_roots(base: PathLike | Sequence[PathLike] | None) -> list[Path]:
    """Return the directories that were given as `base`: none, one or several."""
    if base is None:
        return []
    return [Path(base)] if isinstance(base, str | os.PathLike) else list(map(Path, base))


def list_paths(files: Sequence[Base]) -> list[Path]:
    """Return the paths among files that are given in any way."""
    return [Path(file) for file in files if isinstance(file, str | os.PathLike)]


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
    base: Base | None, n_threads: int = 0, catalog: Catalog | None = None, given: Sequence[Predecessor] = ()
) -> Iterator[Predecessor | None]:
    """Yield the predecessor that `base` means, and close what was opened for it.

    What an archive leans on is looked for among `given`, and in the catalog, or without one in its folder.
    """
    if base is None:
        yield None
    elif isinstance(base, Archive):
        yield ArchivePredecessor(base)
    elif not isinstance(base, str | os.PathLike):
        yield base
    else:
        with closing(_open_path(Path(base), n_threads, catalog, given)) as opened:
            yield opened


@contextmanager
def open_beside(beside: Sequence[Base], n_threads: int = 0) -> Iterator[Sequence[Predecessor]]:
    """Yield the files that `beside` means, in order, and close those that were opened for it.

    Archives among them find the others, however they lean on each other.
    """
    opened: dict[int, Predecessor] = {}
    with ExitStack() as stack:
        for number in _order_by_need(beside):
            file = stack.enter_context(open_base(beside[number], n_threads, None, list(opened.values())))
            if file is not None:
                opened[number] = file
        yield [opened[number] for number in sorted(opened)]


def _order_by_need(files: Sequence[Base]) -> list[int]:
    """Return the numbers of files in an order in which archives on disk come after what they lean on."""
    archives = {
        number: Path(file)
        for number, file in enumerate(files)
        if isinstance(file, str | os.PathLike) and _is_archive(Path(file))
    }
    entries = order_by_need(Catalog(set(archives.values())).entries) if len(archives) > 1 else []
    rank = {entry.archive: place for place, entry in enumerate(entries)}
    return sorted(
        range(len(files)), key=lambda number: rank.get(archives[number], 0) if number in archives else -1
    )


def _is_archive(path: Path) -> bool:
    with open_source(path) as source:
        return source.size_bytes >= len(MAGIC) and bytes(source.read_at(0, len(MAGIC))) == MAGIC


def _open_path(
    path: Path, n_threads: int, catalog: Catalog | None, given: Sequence[Predecessor]
) -> ArchivePredecessor | FilePredecessor:
    if not _is_archive(path):
        return FilePredecessor(path, n_threads=n_threads)
    catalog = catalog if catalog is not None else Catalog(list_neighbours(path))
    find = partial(_find_missing, catalog, path)
    return ArchivePredecessor(_open(open_source(path), str(path), given, find, n_threads))


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
    catalog: Catalog, path: Path, archive: Archive, opened: Sequence[Predecessor]
) -> Sequence[CatalogEntry]:
    """Return the archives of what an archive leans on, unless that is known to be among the files that were opened.

    Raw files are not known: it would cost reading them whole. That one has the size of a file that is needed proves
    nothing: two steps of one optimizer have the same.
    """
    if not archive.index.frames.list_references():
        return ()  # the header is not read: it may be damaged, and nobody needs it
    known_digests = {one.digest.hex() for one in opened if not isinstance(one, FilePredecessor)}
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
