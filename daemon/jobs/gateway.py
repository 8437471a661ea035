"""The way to the repository: opened in the background, again and again until it answers. One for the whole daemon."""

import math
import threading
import time
from pathlib import Path

import structlog

from weightzip.config.store import StoreSettings
from weightzip.daemon.jobs.backoff import Backoff
from weightzip.daemon.jobs.known_store import KnownStore, read_known_store, write_known_store
from weightzip.daemon.jobs.ledger import Ledger
from weightzip.daemon.metrics import Metrics
from weightzip.daemon.store import open_store
from weightzip.daemon.store.record import require_record
from weightzip.daemon.store.repository import Repository
from weightzip.errors import DiskFull, StoreUnavailable, WeightzipError


class StoreGateway:
    """Opens the repository and remembers how its store behaves.

    A repository is made on the first start alone. Once checkpoints were committed, `known_store` remembers where, and a
    store that has vanished from there is waited for. The daemon ends with `failure`: an error that no waiting heals
    (another run's store, a damaged record), or one that outlasted the patience given to `start`.
    """

    def __init__(self, settings: StoreSettings, known_store: Path, ledger: Ledger, metrics: Metrics) -> None:
        self._settings = settings
        self._known_store = known_store
        self._known: KnownStore | None = None
        self._ledger = ledger
        self._metrics = metrics
        self._changed = threading.Condition()
        self._stopping = False
        self._repository: Repository | None = None
        self._problem: str | None = "not opened yet"
        self._patience_seconds = math.inf
        self._failing_since: float | None = None
        self.failure: WeightzipError | None = None
        self._log = structlog.get_logger("store")
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)

    def start(self, patience_seconds: float = math.inf) -> None:
        """Begin to open the repository. A store that fails for `patience_seconds` is waited for no longer."""
        self._patience_seconds = patience_seconds
        self._thread.start()

    def stop(self) -> None:
        """Wake and end whoever waits here."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    @property
    def repository(self) -> Repository | None:
        """Return the repository, None until it was opened."""
        with self._changed:
            return self._repository

    @property
    def problem(self) -> str | None:
        """Return why the store did not answer last time, None if it did."""
        with self._changed:
            return self._problem

    def require(self) -> Repository:
        """Return the repository. Raises StoreUnavailable if it was not opened yet."""
        with self._changed:
            if self._repository is None:
                raise StoreUnavailable(f"the store is not open: {self._problem}")
            return self._repository

    def wait(self, timeout_seconds: float | None = None) -> Repository | None:
        """Wait until the repository is open; None if it is not after the timeout, on stop or on a final failure."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._repository is not None or self._stopping or self.failure is not None,
                timeout_seconds,
            )
            return None if self._stopping else self._repository

    def wait_failure(self) -> WeightzipError | None:
        """Wait for an error that the daemon must end with; None on stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or self.failure is not None)
            return self.failure

    def report(self, error: WeightzipError | None) -> None:
        """Take note of how a use of the store ended: an error, or None for success. Raises DiskFull."""
        self._note(error)
        repository = self.repository
        if error is None and repository is not None:
            self._remember(repository)

    def _run(self) -> None:
        backoff = Backoff()
        while True:
            try:
                repository = self._open()
            except (StoreUnavailable, DiskFull) as error:
                self._note(error)
                pause = backoff.next_pause()
                self._log.warning("store unreachable", error=str(error), retry_in_seconds=pause)
                with self._changed:
                    if self._changed.wait_for(lambda: self._stopping or self.failure is not None, pause):
                        return
                continue
            except WeightzipError as error:
                self._fail(error)
                return
            except Exception as error:  # noqa: BLE001 - a boundary: everybody waits for this thread
                self._log.exception("unexpected error")
                self._fail(WeightzipError(f"{type(error).__name__}: {error}"))
                return
            with self._changed:
                self._repository = repository
                self._changed.notify_all()
            return

    def _note(self, error: WeightzipError | None) -> None:
        self._metrics.store_reachable.set(1 if error is None else 0)
        now = time.monotonic()
        with self._changed:
            self._problem = None if error is None else str(error)
            self._failing_since = None if error is None else self._failing_since or now
            if error is not None and now - (self._failing_since or now) >= self._patience_seconds:
                self._fail(error)

    def _remember(self, repository: Repository) -> None:
        known = KnownStore(url=repository.store.url, run_id=repository.run_id)
        if self._known != known:
            write_known_store(self._known_store, known)
            self._known = known

    def _fail(self, error: WeightzipError) -> None:
        with self._changed:
            self.failure, self._problem = error, str(error)
            self._changed.notify_all()

    def _open(self) -> Repository:
        store = open_store(
            self._settings.url,
            self._settings.options,
            on_operation=self._on_operation,
            on_retry=self._on_retry,
        )
        self._known = read_known_store(self._known_store)
        if self._known is not None and self._known.url == store.url:
            require_record(store, self._known.run_id)
        repository = Repository.open(store, run_id=self._settings.run_id, create=True)
        self._ledger.open(repository)
        if self._ledger.last() is not None:
            self._remember(repository)
        self._note(None)
        fencing = repository.fencing
        fenced = fencing is not None and fencing.fenced
        self._metrics.fencing_supported.set(1 if fenced else 0)
        self._log.info(
            "store open",
            run_id=repository.run_id,
            checkpoints=len(self._ledger.checkpoints()),
            fenced=fenced,
            fencing=fencing.reason if fencing else "",
        )
        return repository

    def _on_operation(self, operation: str, seconds: float, moved_bytes: int, error: str | None) -> None:
        self._metrics.store_operations.labels(operation).inc()
        self._metrics.store_operation_duration_seconds.labels(operation).observe(seconds)
        if error not in {None, "NotFound"}:
            self._metrics.store_operation_errors.labels(operation).inc()
        elif operation.startswith(("put", "create")):
            self._metrics.uploaded_bytes.inc(moved_bytes)

    def _on_retry(self, operation: str, reason: str) -> None:
        self._metrics.store_retries.labels(operation).inc()
        self._log.debug("store operation repeated", operation=operation, reason=reason)
