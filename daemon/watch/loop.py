"""The thread that looks: woken by hints, by candidates that may have become quiet, and by the rescan interval."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import structlog

from weightzip.daemon.metrics import Metrics
from weightzip.daemon.watch.events import EventHints

# A trainer that writes steadily raises events without end: between two looks lies a pause, a part of the quiet
# period (sooner nothing can be decided) within these bounds, and long enough to leave the disk alone mostly.
_PAUSE_PART = 0.1
_MIN_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 0.2, 1.0
_PAUSE_PER_LOOK, _LONGEST_PAUSE_SECONDS = 20, 5.0

LookOnce = Callable[[float], float | None]
"""Does one look at a monotonic time; returns when to look again at the latest, None if only a hint or rescan should."""


class WatchLoop:
    """Calls a look again and again in a thread of its own, until stopped."""

    def __init__(
        self,
        root: Path,
        look_once: LookOnce,
        metrics: Metrics,
        *,
        mode: Literal["events", "poll"],
        poll_seconds: float,
        rescan_seconds: float,
    ) -> None:
        self._root = root
        self._look_once = look_once
        self._metrics = metrics
        self._mode = mode
        self._poll_seconds = min(poll_seconds, rescan_seconds)
        self._rescan_seconds = rescan_seconds
        self._pause_seconds = min(max(_PAUSE_PART * poll_seconds, _MIN_PAUSE_SECONDS), _MAX_PAUSE_SECONDS)
        self._woken = threading.Event()
        self._hurried = threading.Event()
        self._stopping = threading.Event()
        self._hints: EventHints | None = None
        self._warned = False
        self._n_looks = 0
        self._problem: str | None = None
        self._looked = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self._log = structlog.get_logger("watch")

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self, timeout_seconds: float) -> bool:
        """End after the look that is running; returns whether it ended in time."""
        self._stopping.set()
        self._hurried.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def is_alive(self) -> bool:
        """Say whether the thread runs."""
        return self._thread.is_alive()

    @property
    def problem(self) -> str | None:
        """Return why the last look failed, None if it did not: what is on disk is unknown then."""
        return self._problem

    def wake(self) -> None:
        """Ask for a look soon."""
        self._woken.set()

    def hurry(self) -> None:
        """Ask for a look at once, whatever the pause: there is known work that only a look can take up."""
        self._hurried.set()
        self._woken.set()

    def look_now(self, timeout_seconds: float) -> bool:
        """Ask for a look that begins after this call and wait for its end; returns whether it came in time."""
        with self._looked:
            # The look that runs now may have begun before: the one after it is ours.
            wanted = self._n_looks + 2
        deadline = time.monotonic() + timeout_seconds
        while True:
            self.hurry()
            with self._looked:
                if self._n_looks >= wanted:
                    return True
                remaining = deadline - time.monotonic()
                if remaining <= 0 or not self._thread.is_alive():
                    return False
                self._looked.wait(min(remaining, _MIN_PAUSE_SECONDS))

    def _run(self) -> None:
        next_rescan = time.monotonic()
        try:
            while not self._stopping.is_set():
                now = time.monotonic()
                rescan = now >= next_rescan
                self._ensure_hints()
                interval_seconds = self._poll_seconds if self._hints is None else self._rescan_seconds
                next_rescan = now + interval_seconds if rescan else min(next_rescan, now + interval_seconds)
                if rescan:
                    self._metrics.rescans.inc()
                self._woken.clear()
                due = self._look(now)
                wake_at = min(next_rescan, due) if due is not None else next_rescan
                self._rest(time.monotonic() - now, wake_at)
        finally:
            if self._hints is not None:
                self._hints.stop()

    def _rest(self, look_seconds: float, wake_at_seconds: float) -> None:
        """Pause whatever happens (unless somebody waits for a look), then until a hint or the given time."""
        pause_seconds = min(max(self._pause_seconds, _PAUSE_PER_LOOK * look_seconds), _LONGEST_PAUSE_SECONDS)
        if not self._hurried.wait(pause_seconds):
            self._woken.wait(max(wake_at_seconds - time.monotonic(), 0))
        self._hurried.clear()

    def _look(self, now_seconds: float) -> float | None:
        problem = None
        try:
            due = self._look_once(now_seconds)
        except OSError as error:
            # An unreadable or unmounted directory is a state to wait out, as the trainer's mount may come back.
            self._log.warning("watched directory cannot be read", path=str(self._root), error=str(error))
            due, problem = None, str(error)
        except Exception as error:  # noqa: BLE001 - a boundary: one look must not end the looking
            self._log.exception("unexpected error")
            due, problem = None, f"{type(error).__name__}: {error}"
        with self._looked:
            self._problem = problem
            self._n_looks += 1
            self._looked.notify_all()
        return due

    def _ensure_hints(self) -> None:
        """(Re)start events: the directory may not have existed, or another one may have its name now."""
        if self._mode == "poll" or (self._hints is not None and self._hints.is_alive()):
            return
        if self._hints is not None:
            self._hints.stop()
            self._hints = None
        hints = EventHints(self._root, self._on_event, self._on_overflow)
        try:
            hints.start()
        except OSError as error:
            # Also when other processes have taken all instances that the kernel gives a user.
            if not self._warned:
                self._log.warning(
                    "no file events, polling until they work", path=str(self._root), error=str(error)
                )
            self._hints, self._warned = None, True
            return
        self._hints, self._warned = hints, False

    def _on_event(self) -> None:
        self._metrics.watch_events.inc()
        self._woken.set()

    def _on_overflow(self) -> None:
        self._metrics.watch_overflows.inc()
        self._woken.set()
