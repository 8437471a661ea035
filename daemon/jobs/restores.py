"""Restores asked for over HTTP: one at a time in a thread, each with an id, a state and its bytes. Bounded memory."""

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import structlog

from weightzip.daemon.metrics import Metrics
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.restore.reports import RestoreReport
from weightzip.daemon.restore.restore import restore_checkpoint
from weightzip.daemon.store.repository import Repository
from weightzip.errors import NotFound, UsageError, WeightzipError

RestoreState = Literal["PENDING", "IN_PROGRESS", "READY", "FAILED"]
_MAX_REMEMBERED = 200


@dataclass
class RestoreJob:
    """One restore. Written by its thread alone; readers may see a field a moment late."""

    id: str
    selector: str | int
    target: Path
    if_empty: bool
    state: RestoreState = "PENDING"
    done_bytes: int = 0
    total_bytes: int = 0
    report: RestoreReport | None = None
    error: WeightzipError | None = None
    asked_at: float = field(default_factory=time.time)


class Restores:
    """Starts restores and remembers the last ones."""

    def __init__(
        self,
        require_repository: Callable[[], Repository],
        cache: ObjectCache,
        metrics: Metrics,
        *,
        allowed_root: Path,
        max_fallback: int,
        n_threads: int,
    ) -> None:
        self._require_repository = require_repository
        self._cache = cache
        self._metrics = metrics
        self.allowed_root = allowed_root.resolve()
        self._max_fallback = max_fallback
        self._n_threads = n_threads
        self._jobs: OrderedDict[str, RestoreJob] = OrderedDict()
        self._lock = threading.Lock()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="restore")
        self._log = structlog.get_logger("restore")

    def submit(self, selector: str | int, target: str | None, *, if_empty: bool = False) -> RestoreJob:
        """Queue a restore of `selector` into `target` (default: the allowed root) and return it at once.

        Raises:
            UsageError: the target lies outside the directory that restores may write to.
        """
        job = RestoreJob(uuid.uuid4().hex, selector, self._check_target(target), if_empty)
        with self._lock:
            self._jobs[job.id] = job
            finished = [known.id for known in self._jobs.values() if known.state in {"READY", "FAILED"}]
            for old in finished[: max(len(self._jobs) - _MAX_REMEMBERED, 0)]:
                del self._jobs[old]
        self._executor.submit(self._run, job)
        return job

    def find(self, job_id: str) -> RestoreJob:
        """Return a restore by its id. Raises NotFound."""
        with self._lock:
            if job_id not in self._jobs:
                raise NotFound(f"there is no restore {job_id}; it may have been forgotten")
            return self._jobs[job_id]

    @property
    def is_busy(self) -> bool:
        """Say whether a restore runs or waits."""
        with self._lock:
            return any(job.state in {"PENDING", "IN_PROGRESS"} for job in self._jobs.values())

    def run_now(self, selector: str | int) -> None:
        """Restore into the allowed root in the calling thread, counted like every other restore.

        Raises:
            WeightzipError: see restore_checkpoint.
        """
        job = RestoreJob(uuid.uuid4().hex, selector, self.allowed_root, if_empty=False)
        with self._lock:
            self._jobs[job.id] = job
        self._run(job)
        if job.error is not None:
            raise job.error

    def _check_target(self, target: str | None) -> Path:
        if target is None:
            return self.allowed_root
        # Resolved first, so that neither `..` nor a symbolic link leads out of the allowed directory.
        try:
            path = Path(target).resolve()
        except (ValueError, OSError) as error:  # a NUL, a name that is too long, links in a circle
            raise UsageError(f"{target!r} is no path: {error}") from error
        if not Path(target).is_absolute() or not path.is_relative_to(self.allowed_root):
            raise UsageError(
                f"{target}: restores may only write below {self.allowed_root} (see restore.target)"
            )
        return path

    def _run(self, job: RestoreJob) -> None:
        def progress(done_bytes: int, total_bytes: int) -> None:
            job.done_bytes, job.total_bytes = done_bytes, total_bytes

        job.state = "IN_PROGRESS"
        start = time.monotonic()
        try:
            job.report = restore_checkpoint(
                self._require_repository(),
                job.selector,
                job.target,
                if_empty=job.if_empty,
                max_fallback=self._max_fallback,
                cache=self._cache,
                n_threads=self._n_threads,
                progress=progress,
            )
        except WeightzipError as error:
            self._fail(job, error)
        except Exception as error:  # noqa: BLE001 - a boundary: whoever asked must learn that it failed
            self._log.exception("unexpected error", selector=job.selector)
            self._fail(job, WeightzipError(f"{type(error).__name__}: {error}"))
        else:
            self._succeed(job, job.report, time.monotonic() - start)

    def _fail(self, job: RestoreJob, error: WeightzipError) -> None:
        self._metrics.restores.labels("not_found" if isinstance(error, NotFound) else "failed").inc()
        self._log.error("restore failed", selector=job.selector, error=str(error))
        job.error, job.state = error, "FAILED"

    def _succeed(self, job: RestoreJob, report: RestoreReport, seconds: float) -> None:
        metrics = self._metrics
        metrics.restores.labels("fell_back" if report.fell_back else "ok").inc()
        metrics.restore_fallbacks.inc(len(report.failed))
        metrics.restore_duration_seconds.observe(seconds)
        metrics.restored_bytes.inc(report.restored_bytes)
        metrics.cache_bytes.set(self._cache.used_bytes)
        self._log.info(
            "restored",
            step=report.manifest.step if report.manifest else None,
            path=str(report.path),
            restored_bytes=report.restored_bytes,
            fetched_bytes=report.fetched_bytes,
            fell_back=report.fell_back,
            seconds=round(seconds, 3),
        )
        job.state = "READY"
