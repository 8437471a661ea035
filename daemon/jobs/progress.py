"""How far the checkpoint in work is: raw bytes encoded, archive bytes stored. For status and metrics."""

import threading
from dataclasses import dataclass, replace

from weightzip.daemon.metrics import Metrics


@dataclass(frozen=True)
class WorkBytes:
    """Bytes of one checkpoint. `archive_bytes` grows until all is encoded; files that are stored already count as encoded."""

    raw_bytes: int = 0
    encoded_bytes: int = 0
    archive_bytes: int = 0
    stored_bytes: int = 0


class WorkProgress:
    """The progress of the checkpoint in work, None between two. Safe to use from several threads."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._lock = threading.Lock()
        self._current: WorkBytes | None = None

    @property
    def current(self) -> WorkBytes | None:
        """Return how far the checkpoint in work is."""
        return self._current

    def begin(self, raw_bytes: int) -> None:
        """Start at zero with a checkpoint of that many raw bytes."""
        self._set(WorkBytes(raw_bytes))

    def end(self) -> None:
        """Say that nothing is in work."""
        self._set(None)

    def set_encoded(self, encoded_bytes: int, raw_bytes: int) -> None:
        """Note how many raw bytes are encoded."""
        with self._lock:
            current = self._current or WorkBytes()
            self._set(replace(current, encoded_bytes=encoded_bytes, raw_bytes=raw_bytes))

    def add_archive(self, archive_bytes: int, stored_bytes: int) -> None:
        """Count bytes of archives that were made, and bytes of archives that are in the store."""
        with self._lock:
            current = self._current or WorkBytes()
            self._set(
                replace(
                    current,
                    archive_bytes=current.archive_bytes + archive_bytes,
                    stored_bytes=current.stored_bytes + stored_bytes,
                )
            )

    def _set(self, progress: WorkBytes | None) -> None:
        self._current = progress
        shown = progress or WorkBytes()
        self._metrics.work_raw_bytes.set(shown.raw_bytes)
        self._metrics.work_encoded_bytes.set(shown.encoded_bytes)
        self._metrics.work_archive_bytes.set(shown.archive_bytes)
        self._metrics.work_stored_bytes.set(shown.stored_bytes)
