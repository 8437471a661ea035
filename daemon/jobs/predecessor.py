"""The two ways to reach the files of a published predecessor: its raw tree, or its archives in a cache."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Protocol

from weightzip.codec.format.layout import TensorRange
from weightzip.codec.predecessor import ArchivePredecessor, FilePredecessor, Predecessor
from weightzip.daemon.checkpoint import FileEntry, resolve_entry_path
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.restore.chain import open_chain
from weightzip.daemon.restore.fetch import ObjectFetcher
from weightzip.daemon.store.manifest import Manifest
from weightzip.daemon.store.repository import Repository
from weightzip.errors import MissingPredecessor, SourceChanged, WrongPredecessor
from weightzip.files.opening import open_alone


class PredecessorFiles(Protocol):
    """A published checkpoint whose files can be read as predecessors.

    See RawPredecessor (a pinned tree) and StoredPredecessor (archives in a cache).
    """

    @property
    def manifest(self) -> Manifest:
        """Return the manifest of the checkpoint."""

    def read_tensors(self, entry: FileEntry) -> Mapping[str, TensorRange]:
        """Return the tensors of one of its files by name; its bytes are not proven for that."""

    def open_file(self, entry: FileEntry) -> AbstractContextManager[Predecessor]:
        """Open one of its files for random access to the raw bytes."""


class RawPredecessor:
    """PredecessorFiles over a raw tree, such as the pinned copy of the last published checkpoint.

    `root` is the checkpoint itself. Bytes are proven against the manifest's digest when a file is opened, which
    reads it once; a file that is overwritten while it is in use raises WrongPredecessor at the end.
    """

    def __init__(self, manifest: Manifest, root: Path) -> None:
        self._manifest = manifest
        self._root = root

    @property
    def manifest(self) -> Manifest:
        return self._manifest

    def read_tensors(self, entry: FileEntry) -> Mapping[str, TensorRange]:
        with closing(self._open(entry)) as file:
            return file.tensors

    @contextmanager
    def open_file(self, entry: FileEntry) -> Iterator[Predecessor]:
        path = resolve_entry_path(self._root, entry.path)
        with closing(self._open(entry)) as file:
            if file.digest.hex() != entry.digest:
                raise WrongPredecessor(f"{path} is no longer the published file with digest {entry.digest}")
            try:
                yield file
            except SourceChanged:
                _check_unchanged(file, path)  # it may have been this file that changed
                raise
            _check_unchanged(file, path)

    def _open(self, entry: FileEntry) -> FilePredecessor:
        path = resolve_entry_path(self._root, entry.path)
        try:
            return FilePredecessor(path)
        except FileNotFoundError as error:
            raise MissingPredecessor(f"{path}, the predecessor that was published, is gone") from error


def _check_unchanged(file: FilePredecessor, path: Path) -> None:
    """A hard link shares its bytes with the original, which its owner may overwrite in place at any time."""
    try:
        file.check_unchanged()
    except SourceChanged as error:
        raise WrongPredecessor(f"{path} was overwritten while it served as predecessor") from error


class StoredPredecessor:
    """PredecessorFiles over archives: fetched into the cache when missing, decoded on demand."""

    def __init__(self, manifest: Manifest, repository: Repository, cache: ObjectCache) -> None:
        self._manifest = manifest
        self._repository = repository
        self._cache = cache

    @property
    def manifest(self) -> Manifest:
        return self._manifest

    def read_tensors(self, entry: FileEntry) -> Mapping[str, TensorRange]:
        record = self._manifest.encoding.archives[entry.digest or ""]
        with (
            ObjectFetcher(self._repository.store) as fetcher,
            fetcher.hold([record], self._cache) as paths,
            open_alone(paths[record.object_digest]) as archive,
        ):
            return {tensor.name: tensor for tensor in archive.index.layout.tensors}

    @contextmanager
    def open_file(self, entry: FileEntry) -> Iterator[Predecessor]:
        needed = self._manifest.list_needed(entry.digest or "")
        with (
            ObjectFetcher(self._repository.store) as fetcher,
            open_chain(needed, self._cache, fetcher) as archive,
        ):
            yield ArchivePredecessor(archive)
