"""Download archive objects: many ranges at a time, each object growing in order so that it resumes at its end."""

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.store.layout import object_key
from weightzip.daemon.store.manifest import ArchiveRecord
from weightzip.daemon.store.protocol import Store

if TYPE_CHECKING:
    from typing_extensions import Self

RANGE_BYTES = 4 << 20
_RANGES_AT_ONCE = 8
_RANGES_AHEAD = 4  # per object: bounds the memory of what arrived out of order
_OBJECTS_AT_ONCE = 4


class ObjectFetcher:
    """Fetch objects of one store into caches. Use as a context manager; safe to use from several threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ranges = ThreadPoolExecutor(_RANGES_AT_ONCE, thread_name_prefix="fetch-range")
        self._objects = ThreadPoolExecutor(_OBJECTS_AT_ONCE, thread_name_prefix="fetch-object")
        self._lock = threading.Lock()
        self.fetched_bytes = 0

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._objects.shutdown(cancel_futures=True)
        self._ranges.shutdown(cancel_futures=True)

    @contextmanager
    def hold(self, records: Sequence[ArchiveRecord], cache: ObjectCache) -> Iterator[dict[str, Path]]:
        """Bring objects into the cache, several at a time, and give their paths by object digest.

        Raises:
            NotFound, CorruptData: an object is missing or damaged in the store.
            StoreUnavailable, DiskFull: nothing is wrong with the objects; what arrived stays in the cache.
        """
        unique = {record.object_digest: record for record in records}
        with ExitStack() as stack:
            lock = threading.Lock()

            def enter(hold: AbstractContextManager[Path]) -> Path:
                path = hold.__enter__()
                with lock:
                    stack.push(hold)
                return path

            futures = {
                digest: self._objects.submit(
                    enter,
                    cache.hold(digest, record.size_bytes, partial(self.fetch, digest, record.size_bytes)),
                )
                for digest, record in unique.items()
            }
            wait(futures.values())  # all, also after a failure: what was entered must be left again
            yield {digest: future.result() for digest, future in futures.items()}

    def fetch(self, digest: str, size_bytes: int, target: Path) -> None:
        """Append to `target` what it lacks of an object."""
        start = target.stat().st_size if target.exists() else 0
        if start > size_bytes:
            target.unlink()
            start = 0
        with target.open("ab") as file:
            for data in self._read_ordered(object_key(digest), start, size_bytes):
                file.write(data)
                with self._lock:
                    self.fetched_bytes += len(data)

    def _read_ordered(self, key: str, start: int, end: int) -> Iterator[bytes]:
        ahead: deque[Future[bytes]] = deque()
        try:
            for offset in range(start, end, RANGE_BYTES):
                n_bytes = min(RANGE_BYTES, end - offset)
                ahead.append(self._ranges.submit(self._store.read_range, key, offset, n_bytes))
                if len(ahead) > _RANGES_AHEAD:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()
