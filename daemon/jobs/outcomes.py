"""What became of checkpoints in this process: the given-up ones and their reasons, bounded. Shown by status."""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from weightzip.daemon.jobs.pinned import ContentKey, PinnedCheckpoint

_MAX_REMEMBERED = 1000

GIVEN_UP = "given up"
"""What is said of a checkpoint on disk whose content was given up."""


@dataclass(frozen=True)
class GivenUp:
    """A checkpoint whose very content was given up. `at` is Unix time in seconds."""

    name: str
    step: int
    reason: str
    at: float


class Outcomes:
    """Remembers which contents must not be tried again until they change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._given_up: OrderedDict[tuple[str, ContentKey], GivenUp] = OrderedDict()

    def quarantine(self, pin: PinnedCheckpoint, reason: str) -> None:
        """Remember that this content was given up."""
        with self._lock:
            self._given_up[pin.name, pin.content] = GivenUp(pin.name, pin.step, reason, time.time())
            while len(self._given_up) > _MAX_REMEMBERED:
                self._given_up.popitem(last=False)

    def is_given_up(self, name: str, content: ContentKey) -> bool:
        """Say whether this very content was given up."""
        with self._lock:
            return (name, content) in self._given_up

    def given_up(self) -> tuple[GivenUp, ...]:
        """Return what was given up, oldest first."""
        with self._lock:
            return tuple(self._given_up.values())
