"""What restore and prefetch report back."""

from dataclasses import dataclass
from pathlib import Path

from weightzip.daemon.store.manifest import Manifest


@dataclass(frozen=True)
class FailedCandidate:
    """A checkpoint that was tried and did not verify."""

    step: int
    name: str
    reason: str


@dataclass(frozen=True)
class RestoreReport:
    """What a restore did. `skipped`: the target was not empty and `if_empty` was asked for; nothing was touched.

    `failed` lists newer checkpoints that were damaged, in the order they were tried; it is empty unless the restore
    fell back. `restored_bytes` counts raw bytes written, `reused_bytes` raw bytes that were there already.
    """

    path: Path
    manifest: Manifest | None
    skipped: bool
    failed: tuple[FailedCandidate, ...]
    n_files: int
    restored_bytes: int
    reused_bytes: int
    fetched_bytes: int
    seconds: float

    @property
    def fell_back(self) -> bool:
        """Return whether an older checkpoint than the chosen one was restored."""
        return bool(self.failed)


@dataclass(frozen=True)
class PrefetchReport:
    """What a prefetch brought. `complete` is False when the cache's limit left objects out."""

    n_objects: int
    fetched_bytes: int
    complete: bool
