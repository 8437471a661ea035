"""The way to the repository: opened in the background, again and again until it answers. One for the whole daemon."""

import threading

import structlog

from weightzip.config.store import StoreSettings
from weightzip.daemon.jobs.backoff import Backoff
from weightzip.daemon.jobs.ledger import Ledger
from weightzip.daemon.metrics import Metrics
from weightzip.daemon.store import open_store
from weightzip.daemon.store.repository import Repository
from weightzip.errors import StoreUnavailable, WeightzipError


class StoreGateway:
    """Opens the repository and remembers how its store behaves.

    `failure` is an error that no waiting heals (another run's store, a damaged record); the daemon ends with it.
    """

    def __init__(self, settings: StoreSettings, ledger: Ledger, metrics: Metrics) -> None:
        self._settings = settings
        self._ledger = ledger
        self._metrics = metrics
        self._changed = threading.Condition()
        self._stopping = False
        self._repository: Repository | None = None
        self._problem: str | None = "not opened yet"
        self.failure: WeightzipError | None = None
        self._log = structlog.get_logger("store")
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)

    def start(self) -> None:
        """Begin to open the repository."""
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

    def report(self, error: WeightzipError | None) -> None:
        """Take note of how a use of the store ended: an error, or None for success."""
        reachable = error is None
        self._metrics.store_reachable.set(1 if reachable else 0)
        with self._changed:
            self._problem = None if reachable else str(error)

    def _run(self) -> None:
        backoff = Backoff()
        while True:
            try:
                repository = self._open()
            except StoreUnavailable as error:
                self.report(error)
                pause = backoff.next_pause()
                self._log.warning("store unreachable", error=str(error), retry_in_seconds=pause)
                with self._changed:
                    if self._changed.wait_for(lambda: self._stopping, pause):
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
        repository = Repository.open(store, run_id=self._settings.run_id, create=True)
        self._ledger.open(repository)
        self._ledger.last()
        self.report(None)
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
