"""A bounded directory of archive objects, proven by digest, least recently used out first."""

import os
import threading
from collections import Counter, defaultdict
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
        self._object_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._proven: set[str] = set()  # by this process: bytes on a disk may rot between two

    @property
    def used_bytes(self) -> int:
        """Return the size of everything in the cache, unfinished downloads included."""
        return sum(size for _, size, _ in self._list_files())

    def has(self, digest: str) -> bool:
        """Return whether the whole object lies in the cache; its bytes are proven when it is held."""
        return self._path(digest).exists()

    @contextmanager
    def hold(self, digest: str, size_bytes: int, fetch: Callable[[Path], None]) -> Iterator[Path]:
        """Give the path of an object that stays there for the length of the `with` block.

        `fetch(partial)` is called on a miss: it appends to `partial` what is missing (the file may hold an earlier
        beginning). Bytes that contradict the digest are fetched anew once, then CorruptData.
        """
        with self._lock:
            self._in_use[digest] += 1
            object_lock = self._object_locks[digest]
        try:
            with object_lock:
                path = self._obtain(digest, size_bytes, fetch)
            yield path
        finally:
            with self._lock:
                self._in_use[digest] -= 1

    def _obtain(self, digest: str, size_bytes: int, fetch: Callable[[Path], None]) -> Path:
        path = self._path(digest)
        if path.exists():
            if digest in self._proven or hash_file(path) == digest:
                self._proven.add(digest)
                os.utime(path)
                return path
            path.unlink()
        self._make_room(size_bytes)
        partial = path.with_suffix(_UNFINISHED)
        with name_disk_errors(self._directory):
            for _ in range(2):  # once more from the start: the wire may have flipped a bit
                fetch(partial)
                if hash_file(partial) == digest:
                    partial.rename(path)
                    self._proven.add(digest)
                    return path
                partial.unlink()
        raise CorruptData(f"archive object {digest} does not have the bytes its name promises")

    def _make_room(self, size_bytes: int) -> None:
        with self._lock:
            files = sorted(self._list_files(), key=lambda file: file[2])
            used_bytes = sum(size for _, size, _ in files)
            for path, size, _ in files:
                if used_bytes + size_bytes <= self.limit_bytes:
                    return
                if not self._in_use[path.stem]:
                    path.unlink(missing_ok=True)
                    used_bytes -= size

    def _list_files(self) -> list[tuple[Path, int, int]]:
        found = []
        for path in self._directory.iterdir():
            if path.suffix in {_WHOLE, _UNFINISHED}:
                try:
                    status = path.stat()
                except FileNotFoundError:
                    continue  # finished or evicted by another thread just now
                found.append((path, status.st_size, status.st_mtime_ns))
        return found

    def _path(self, digest: str) -> Path:
        return self._directory / (digest + _WHOLE)
