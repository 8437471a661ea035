"""The queue between watching and encoding: bounded, newest first. Holds pins, decides nothing about their files."""

import threading

from weightzip.daemon.jobs.pinned import PinnedCheckpoint


class PinQueue:
    """Pins that wait for the pipeline. What was saved last is taken first; the oldest gives way when it is full."""

    def __init__(self, max_pins: int) -> None:
        self._max_pins = max_pins
        self._pins: list[PinnedCheckpoint] = []
        self._condition = threading.Condition()
        self._closed = False

    def has_room(self, order: tuple[int, int]) -> bool:
        """Say whether a pin of this order would be kept: there is room, or something older would give way."""
        with self._condition:
            return len(self._pins) < self._max_pins or order > min(pin.order for pin in self._pins)

    def put(self, pin: PinnedCheckpoint) -> PinnedCheckpoint | None:
        """Add a pin; returns the oldest one, which must be released, if there are too many now."""
        with self._condition:
            self._pins.append(pin)
            self._pins.sort(key=lambda waiting: waiting.order)
            crowded_out = self._pins.pop(0) if len(self._pins) > self._max_pins else None
            self._condition.notify_all()
            return crowded_out

    def take(self) -> PinnedCheckpoint | None:
        """Wait for the newest pin and take it out; None once the queue is closed."""
        with self._condition:
            self._condition.wait_for(lambda: self._pins or self._closed)
            return None if self._closed else self._pins.pop()

    def close(self) -> None:
        """Wake and end whoever waits; pins that still wait stay in the spool for the next start."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def list_pins(self) -> tuple[PinnedCheckpoint, ...]:
        """Return the waiting pins, oldest first."""
        with self._condition:
            return tuple(self._pins)
