"""Bring a checkpoint back: choose, fetch, decode, prove, publish; fall back to an older one on damage."""

from dataclasses import dataclass
from pathlib import Path

from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.store.manifest import Manifest
from weightzip.daemon.store.repository import Repository
from weightzip.files.reports import Progress

DEFAULT_MAX_FALLBACK = 3


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
    cached_bytes: int
    complete: bool


def prefetch_checkpoint(
    repository: Repository, manifest: Manifest, cache: ObjectCache, *, progress: Progress | None = None
) -> PrefetchReport:
    """Bring the objects of a checkpoint into the cache, as far as its limit allows, before anybody asks.

    `progress` counts stored bytes.
    """
    raise NotImplementedError


def restore_checkpoint(
    repository: Repository,
    selector: str | int,
    target: Path,
    *,
    if_empty: bool = False,
    force: bool = False,
    max_fallback: int = DEFAULT_MAX_FALLBACK,
    cache: ObjectCache | None = None,
    n_threads: int = 0,
    progress: Progress | None = None,
) -> RestoreReport:
    """Restore a checkpoint as `target/NAME`, complete and proven, or leave the target as it was.

    The tree is written under a temporary name in `target`, synced, then renamed. An identical checkpoint that is
    there already is left alone; a different one is replaced only with `force`, and files of it that are right are
    reused. If the chosen checkpoint is damaged, the newest older one that verifies is restored, `max_fallback` steps
    back at most. Without a `cache`, objects pass through a temporary one inside `target`. `progress` counts raw bytes.

    Raises:
        NotFound: there is no such checkpoint.
        TargetExists: another checkpoint of that name is in the target and `force` is False.
        CorruptData: no candidate verifies; the message lists what was tried and why each failed.
        DiskFull, StoreUnavailable: nothing was published; the same call may succeed later.
    """
    raise NotImplementedError
