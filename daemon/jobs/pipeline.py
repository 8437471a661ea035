"""The pipeline's thread: takes the newest pin, encodes it, publishes it, prunes. One checkpoint at a time.

One at a time, because an archive may lean only on a checkpoint that is committed. Failures that may pass (a full
disk, a store that does not answer) pause it and are tried again, with the newest pin first each time.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import structlog

from weightzip.daemon.disk import name_disk_errors
from weightzip.daemon.jobs.backoff import Backoff
from weightzip.daemon.jobs.commit import Committer
from weightzip.daemon.jobs.gateway import StoreGateway
from weightzip.daemon.jobs.outcomes import Outcomes
from weightzip.daemon.jobs.pin_queue import PinQueue
from weightzip.daemon.jobs.pinned import PinnedCheckpoint
from weightzip.daemon.jobs.progress import WorkBytes
from weightzip.daemon.jobs.spool import Spool
from weightzip.daemon.metrics import Metrics
from weightzip.errors import DiskFull, DiskUnusable, NotFound, SourceChanged, StoreUnavailable, WeightzipError

PipelineState = Literal["idle", "working", "disk_full", "disk_unusable", "store_unreachable", "stopped"]

# With pauses of 1, 2, 4, ... seconds a minute goes by. Not for ever: what fails may be one file of this pin alone.
_MAX_DISK_FAILURES = 6


@dataclass(frozen=True)
class PipelineStatus:
    """What the pipeline does now, for status; `detail` says why it pauses."""

    state: PipelineState
    name: str | None = None
    step: int | None = None
    detail: str = ""


class Pipeline:
    """Runs in a thread of its own from `start` until `stop`; calls `on_progress` after each pin it handled."""

    def __init__(
        self,
        queue: PinQueue,
        committer: Committer,
        gateway: StoreGateway,
        spool: Spool,
        outcomes: Outcomes,
        metrics: Metrics,
    ) -> None:
        self._queue = queue
        self._committer = committer
        self._gateway = gateway
        self._spool = spool
        self._outcomes = outcomes
        self._metrics = metrics
        self.on_progress: Callable[[], None] = lambda: None
        self._backoff = Backoff()
        self._woken = threading.Event()
        self._status = PipelineStatus("idle")
        self._working_on: PinnedCheckpoint | None = None
        self._log = structlog.get_logger("pipeline")
        self._thread = threading.Thread(target=self._run, name="pipeline", daemon=True)

    def start(self) -> None:
        """Begin to take pins."""
        self._thread.start()

    def is_alive(self) -> bool:
        """Say whether the thread runs."""
        return self._thread.is_alive()

    def hurry(self) -> None:
        """End a pause now: somebody wants everything stored soon."""
        self._backoff.reset()
        self._woken.set()

    def stop(self, timeout_seconds: float) -> bool:
        """End after the checkpoint in work; returns whether that came in time. Waiting pins stay in the spool."""
        self._queue.close()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(max(timeout_seconds, 0))
        return not self._thread.is_alive()

    def free_disk(self) -> None:
        """Give up what only makes things faster: a disk is full."""
        self._committer.free_disk()

    @property
    def status(self) -> PipelineStatus:
        """Return what the pipeline does now."""
        return self._status

    @property
    def progress(self) -> WorkBytes | None:
        """Return how far the checkpoint in work is, None if none is."""
        return self._committer.progress.current

    @property
    def pins(self) -> tuple[PinnedCheckpoint, ...]:
        """Return all pins that are not committed yet: the waiting ones and the one in work."""
        working = self._working_on
        waiting = tuple(pin for pin in self._queue.list_pins() if pin is not working)
        return (*waiting, working) if working is not None else waiting

    def _run(self) -> None:
        while True:
            self._await_store()
            self._status = PipelineStatus("idle")
            pin = self._queue.take()
            if pin is None:
                self._status = PipelineStatus("stopped")
                return
            self._working_on = pin
            self._woken.clear()
            self._status = PipelineStatus("working", pin.name, pin.step)
            try:
                self._handle(pin)
            finally:
                self._working_on = None
                self.on_progress()

    def _await_store(self) -> None:
        """Wait for the repository before a pin is taken, so that the newest one is taken when it opens."""
        if self._gateway.repository is None:
            self._status = PipelineStatus("store_unreachable", detail=self._gateway.problem or "")
            self._gateway.wait()

    def _handle(self, pin: PinnedCheckpoint) -> None:
        try:
            self._gateway.require()
            with name_disk_errors(pin.tree):
                self._committer.commit(pin)
        except (StoreUnavailable, NotFound) as error:
            # Nothing of ours is missing here: a bucket or a mount went away, and may come back.
            self._pause(pin, "store_unreachable", error)
        except DiskFull as error:
            self.free_disk()
            self._pause(pin, "disk_full", error)
        except DiskUnusable as error:
            pin.n_failures += 1
            if pin.n_failures < _MAX_DISK_FAILURES:
                self._pause(pin, "disk_unusable", error)
            else:
                self._quarantine(pin, error)
        except SourceChanged as error:
            self._metrics.incomplete_attempts.labels("changed_while_reading").inc()
            self._log.warning("changed while it was read, settling again", step=pin.step, error=str(error))
            self._drop(pin)
        except WeightzipError as error:
            self._quarantine(pin, error)
        except Exception as error:  # noqa: BLE001 - a boundary: one checkpoint must not end the care for all later ones
            self._log.exception("unexpected error", step=pin.step)
            self._quarantine(pin, error)
        else:
            self._metrics.disk_full.set(0)
            self._backoff.reset()

    def _pause(self, pin: PinnedCheckpoint, state: PipelineState, error: WeightzipError) -> None:
        if state == "store_unreachable":
            self._gateway.report(error)
        self._metrics.disk_full.set(1 if state == "disk_full" else 0)
        pause = self._backoff.next_pause()
        self._status = PipelineStatus(state, pin.name, pin.step, str(error))
        self._log.warning(state.replace("_", " "), step=pin.step, error=str(error), retry_in_seconds=pause)
        crowded_out = self._queue.put(pin)
        if crowded_out is not None:
            self._drop(crowded_out)
        self._woken.wait(pause)

    def _quarantine(self, pin: PinnedCheckpoint, error: Exception) -> None:
        """Give up this very content; the same name is taken again when its files change."""
        self._metrics.checkpoints.labels("quarantined").inc()
        self._log.error("checkpoint given up", name=pin.name, step=pin.step, error=str(error))
        self._outcomes.quarantine(pin, f"{type(error).__name__}: {error}")
        self._drop(pin)

    def _drop(self, pin: PinnedCheckpoint) -> None:
        try:
            self._committer.forget(pin)
            self._spool.release(pin)
        except OSError as error:  # the same broken disk, perhaps: the next start removes what stays
            self._log.warning("not removed", step=pin.step, error=str(error))
