"""Pauses between attempts: doubling, bounded. Pure numbers; the waiting is the caller's."""

from dataclasses import dataclass


@dataclass
class Backoff:
    """The next pause to make after a failure; a success starts over."""

    first_seconds: float = 1.0
    max_seconds: float = 60.0
    _next_seconds: float | None = None

    def next_pause(self) -> float:
        """Return the pause before the next attempt, in seconds, and make the following one twice as long."""
        pause = self.first_seconds if self._next_seconds is None else self._next_seconds
        self._next_seconds = min(2 * pause, self.max_seconds)
        return pause

    def reset(self) -> None:
        """Begin with the shortest pause again."""
        self._next_seconds = None
