"""The two ways to reach the files of a published predecessor: its raw tree, or its archives in a cache."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weightzip.codec.predecessor import Predecessor
from weightzip.daemon.checkpoint import FileEntry
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.store.manifest import Manifest
from weightzip.daemon.store.repository import Repository


class RawPredecessor:
    """PredecessorFiles over a raw tree, such as the pinned copy of the last published checkpoint.

    `root` is the checkpoint itself. Bytes are proven against the manifest's digests when a file is opened.
    """

    def __init__(self, manifest: Manifest, root: Path) -> None:
        raise NotImplementedError

    @property
    def manifest(self) -> Manifest:
        raise NotImplementedError

    @contextmanager
    def open_file(self, entry: FileEntry) -> Iterator[Predecessor]:
        raise NotImplementedError


class StoredPredecessor:
    """PredecessorFiles over archives: fetched into the cache when missing, decoded on demand."""

    def __init__(self, manifest: Manifest, repository: Repository, cache: ObjectCache) -> None:
        raise NotImplementedError

    @property
    def manifest(self) -> Manifest:
        raise NotImplementedError

    @contextmanager
    def open_file(self, entry: FileEntry) -> Iterator[Predecessor]:
        raise NotImplementedError
