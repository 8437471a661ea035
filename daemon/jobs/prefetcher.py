"""Brings the objects of a checkpoint into the cache in the background, before anybody asks for a restore."""

import threading

import structlog

from weightzip.daemon.metrics import Metrics
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.restore.prefetch import prefetch_checkpoint
from weightzip.daemon.store.manifest import Manifest
from weightzip.daemon.store.repository import Repository
from weightzip.errors import WeightzipError


class Prefetcher:
    """Runs one prefetch at a time; asking for the one that runs changes nothing."""

    def __init__(self, cache: ObjectCache, metrics: Metrics) -> None:
        self._cache = cache
        self._metrics = metrics
        self._lock = threading.Lock()
        self._running: str | None = None
        self._log = structlog.get_logger("prefetch")

    def start(self, repository: Repository, manifest: Manifest) -> bool:
        """Begin to fetch a checkpoint's objects; returns False if another prefetch runs."""
        with self._lock:
            if self._running is not None:
                return self._running == manifest.identity
            self._running = manifest.identity
        threading.Thread(target=self._run, args=(repository, manifest), name="prefetch", daemon=True).start()
        return True

    @property
    def is_busy(self) -> bool:
        """Say whether a prefetch runs."""
        with self._lock:
            return self._running is not None

    def _run(self, repository: Repository, manifest: Manifest) -> None:
        try:
            report = prefetch_checkpoint(repository, manifest, self._cache)
        except WeightzipError as error:
            # Nothing depends on it: a restore fetches what is missing, and reports what is damaged.
            self._log.warning("prefetch failed", step=manifest.step, error=str(error))
        else:
            self._metrics.prefetched_bytes.inc(report.fetched_bytes)
            self._metrics.cache_bytes.set(self._cache.used_bytes)
            self._log.info(
                "prefetched",
                step=manifest.step,
                objects=report.n_objects,
                fetched_bytes=report.fetched_bytes,
                complete=report.complete,
            )
        finally:
            with self._lock:
                self._running = None
