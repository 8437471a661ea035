"""A bounded directory of archive objects, proven by digest, least recently used out first."""

import os
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from weightzip.daemon.checkpoint import hash_file
from weightzip.daemon.disk import name_disk_errors
from weightzip.errors import CorruptData

_WHOLE = ".wzst"
_UNFINISHED = ".partial"


class ObjectCache:
    """Objects by digest in a directory of its own. Safe to use from several threads of one process.

    Objects in use are never evicted: the limit may be exceeded by what one restore needs at one time.
    """

    def __init__(self, directory: Path, limit_bytes: int) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self.limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._in_use: Counter[str] = Counter()
        self._object_locks: dict[str, threading.Lock] = {}
        self._proven: set[str] = set()  # by this process: bytes on a disk may rot between two
        # Sizes by digest, least recently used first; kept here because listing thousands of files a miss is slow.
        self._sizes: OrderedDict[str, int] = OrderedDict(_list_sizes(directory))
        self._make_room("", 0)  # the limit may have been lowered since

    @property
    def used_bytes(self) -> int:
        """Return the size of everything in the cache, unfinished downloads included."""
        with self._lock:
            return sum(self._sizes.values())

    def has(self, digest: str) -> bool:
        """Return whether the whole object lies in the cache; its bytes are proven when it is held."""
        return self._path(digest).exists()

    @contextmanager
    def hold(self, digest: str, size_bytes: int, fetch: Callable[[Path], None]) -> Iterator[Path]:
        """Give the path of an object that stays there for the length of the `with` block.

        `fetch(partial)` is called on a miss: it appends to `partial` what is missing (the file may hold an earlier
        beginning). Bytes that contradict the digest are fetched anew once, then CorruptData.
        """
        with self._use(digest) as object_lock:
            with object_lock:
                path = self._obtain(digest, size_bytes, fetch)
            yield path

    def adopt(self, digest: str, archive: Path) -> bool:
        """Take over an archive of ours by renaming it into the cache; it is gone from its place whatever happens.

        Returns whether it is kept: not if it has no room beside what is in use. `archive` lies on the file system of
        the cache.

        Raises:
            DiskFull, DiskUnusable: it cannot be moved; it was deleted.
        """
        with self._use(digest) as object_lock, object_lock, name_disk_errors(archive):
            try:
                path, size_bytes = self._path(digest), archive.stat().st_size
                if path.exists() or not self._make_room(digest, size_bytes):
                    return False
                self._directory.mkdir(exist_ok=True)  # a cache may be wiped by hand at any time
                os.utime(archive)  # it bears the time of the file it restores
                archive.rename(path)
                path.with_suffix(_UNFINISHED).unlink(missing_ok=True)
                self._note_size(digest, size_bytes)
                return True
            finally:
                archive.unlink(missing_ok=True)

    def evict_unused(self) -> int:
        """Delete everything that is not in use and return its bytes: somebody needs the disk more than a cache."""
        with self._lock:
            return sum(self._evict(digest) for digest in list(self._sizes) if digest not in self._in_use)

    @contextmanager
    def _use(self, digest: str) -> Iterator[threading.Lock]:
        """Keep an object from eviction; the lock given is for whoever obtains it."""
        with self._lock:
            self._in_use[digest] += 1
            object_lock = self._object_locks.setdefault(digest, threading.Lock())
        try:
            yield object_lock
        finally:
            with self._lock:
                self._in_use[digest] -= 1
                if not self._in_use[digest]:
                    del self._in_use[digest], self._object_locks[digest]

    def _obtain(self, digest: str, size_bytes: int, fetch: Callable[[Path], None]) -> Path:
        path = self._path(digest)
        if path.exists():
            if digest in self._proven or hash_file(path) == digest:
                os.utime(path)
                self._note_size(digest, size_bytes, proven=True)
                return path
            path.unlink()
        self._make_room(digest, size_bytes)
        partial = path.with_suffix(_UNFINISHED)
        try:
            self._note_size(digest, size_bytes)
            self._download(digest, partial, fetch)
            partial.rename(path)
        finally:
            # What arrived before a failure stays, for the next attempt to go on from, and takes room until then.
            standing = next((file for file in (path, partial) if file.exists()), None)
            arrived_bytes = standing.stat().st_size if standing is not None else 0
            self._note_size(digest, arrived_bytes, proven=standing == path)
        return path

    def _download(self, digest: str, partial: Path, fetch: Callable[[Path], None]) -> None:
        with name_disk_errors(self._directory):
            self._directory.mkdir(exist_ok=True)  # a cache may be wiped by hand at any time
            for _ in range(2):  # once more from the start: the wire may have flipped a bit
                fetch(partial)
                if hash_file(partial) == digest:
                    return
                partial.unlink()
        raise CorruptData(f"archive object {digest} does not have the bytes its name promises")

    def _note_size(self, digest: str, size_bytes: int, *, proven: bool = False) -> None:
        """Make an object the one used last; 0 bytes mean that there is none."""
        with self._lock:
            self._sizes.pop(digest, None)
            if size_bytes:
                self._sizes[digest] = size_bytes
            if proven:
                self._proven.add(digest)

    def _make_room(self, digest: str, size_bytes: int) -> bool:
        """Evict others until there is room for an object; returns whether there is."""
        with self._lock:
            others_bytes = sum(self._sizes.values()) - self._sizes.get(digest, 0)
            excess_bytes = others_bytes + size_bytes - self.limit_bytes
            for other in list(self._sizes):
                if excess_bytes <= 0:
                    break
                if other not in self._in_use:
                    excess_bytes -= self._evict(other)
            return excess_bytes <= 0

    def _evict(self, digest: str) -> int:
        for suffix in (_WHOLE, _UNFINISHED):
            (self._directory / (digest + suffix)).unlink(missing_ok=True)
        self._proven.discard(digest)
        return self._sizes.pop(digest)

    def _path(self, digest: str) -> Path:
        return self._directory / (digest + _WHOLE)


def _list_sizes(directory: Path) -> list[tuple[str, int]]:
    found = []
    for path in directory.iterdir():
        if path.suffix in {_WHOLE, _UNFINISHED}:
            status = path.stat()
            found.append((status.st_mtime_ns, path.stem, status.st_size))
    return [(digest, size_bytes) for _, digest, size_bytes in sorted(found)]
