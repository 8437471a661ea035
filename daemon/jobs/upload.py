"""Sends archives to the store while the next ones are encoded, then gives them to the cache. Writes no manifest."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import structlog

from weightzip.daemon.jobs.progress import WorkProgress
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.store.manifest import ArchiveRecord
from weightzip.daemon.store.protocol import Store
from weightzip.daemon.store.publish import has_archive, send_archive
from weightzip.errors import WeightzipError

if TYPE_CHECKING:
    from typing_extensions import Self


class Uploader:
    """An ArchiveSink of one checkpoint. Use as a context manager: leaving it waits for what is on its way.

    At most `n_uploads` archives are on their way at once; `put` waits for a free place, so the work directory holds
    that many archives and the one being made, however slow the store is.
    """

    def __init__(self, store: Store, cache: ObjectCache, progress: WorkProgress, n_uploads: int) -> None:
        self._store = store
        self._cache = cache
        self._progress = progress
        self._pool = ThreadPoolExecutor(n_uploads, thread_name_prefix="upload")
        self._places = threading.Semaphore(n_uploads)
        self._lock = threading.Lock()
        self._failure: BaseException | None = None
        self.sent_bytes = 0
        self._log = structlog.get_logger("upload")

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown()

    def holds(self, record: ArchiveRecord) -> bool:
        """Say whether an archive that an earlier attempt sent is still in the store. Raises StoreUnavailable."""
        held = has_archive(self._store, record)
        if held:
            self._progress.add_archive(record.size_bytes, record.size_bytes)
        return held

    def put(self, record: ArchiveRecord, archive: Path) -> None:
        """Send an archive in the background, then move it into the cache; waits while too many are on their way.

        Raises:
            WeightzipError: what became of an earlier one.
        """
        self._progress.add_archive(record.size_bytes, 0)
        self._places.acquire()
        self._raise_failure()
        self._pool.submit(self._send, record, archive)

    def finish(self) -> None:
        """Wait until everything has arrived. Raises what became of any of them."""
        self._pool.shutdown()
        self._raise_failure()

    def _send(self, record: ArchiveRecord, archive: Path) -> None:
        try:
            sent = send_archive(self._store, record, archive)
            self._progress.add_archive(0, record.size_bytes)
            with self._lock:
                self.sent_bytes += record.size_bytes if sent else 0
            self._cache_archive(record, archive)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that encodes
            with self._lock:
                self._failure = self._failure or error
        finally:
            self._places.release()

    def _cache_archive(self, record: ArchiveRecord, archive: Path) -> None:
        try:
            self._cache.adopt(record.object_digest, archive)
        except WeightzipError as error:
            # It is in the store, which is what counts; a restore will fetch it.
            self._log.warning("archive not cached", error=str(error))

    def _raise_failure(self) -> None:
        with self._lock:
            if self._failure is not None:
                raise self._failure
