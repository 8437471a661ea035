"""Bring a checkpoint back: choose, fetch, decode, prove, publish; fall back to an older one on damage."""

import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from weightzip.daemon.disk import name_disk_errors
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.restore.fetch import ObjectFetcher
from weightzip.daemon.restore.reports import FailedCandidate, RestoreReport
from weightzip.daemon.restore.target import (
    OBJECTS_NAME,
    inspect_standing,
    is_empty_target,
    open_workroom,
    publish_tree,
)
from weightzip.daemon.restore.trackers import list_unwritten_trackers, write_tracker
from weightzip.daemon.restore.write import TreeWriter
from weightzip.daemon.store.layout import CheckpointKey
from weightzip.daemon.store.manifest import Manifest
from weightzip.daemon.store.repository import Repository
from weightzip.errors import (
    CorruptData,
    MissingPredecessor,
    NotFound,
    TargetExists,
    UnsupportedVersion,
    UsageError,
    WrongPredecessor,
)
from weightzip.files.reports import Progress

DEFAULT_MAX_FALLBACK = 3

# What speaks against a checkpoint itself; anything else (network, disk, request) says nothing about it.
DAMAGE = (CorruptData, MissingPredecessor, NotFound, UnsupportedVersion, WrongPredecessor)

_UNLIMITED_BYTES = 1 << 62


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

    The tree is written in a work room beside `target` (see target.py), synced, then renamed. An identical checkpoint that is
    there already is left alone; a different one is replaced only with `force`, and files of it that are right are
    reused. Trackers beside it name it afterwards, unless they name one in `target` that was saved later.
    If the chosen checkpoint is damaged, the one saved before it is tried, at most `max_fallback` of them.
    Without a `cache`, objects pass through a temporary one in the work room. `progress` counts raw bytes.

    Raises:
        NotFound: there is no such checkpoint.
        TargetExists: another checkpoint of that name is in the target and `force` is False.
        UsageError: the target is no directory.
        CorruptData: no candidate verifies; the message lists what was tried and why each failed.
        DiskFull, StoreUnavailable: nothing was published; the same call may succeed later.
    """
    start = time.monotonic()
    with name_disk_errors(target):
        if target.exists() and not target.is_dir():
            raise UsageError(f"{target}: is no directory, and a checkpoint is restored into one")
        spare = if_empty and not is_empty_target(target)
    if spare:
        return RestoreReport(target, None, True, (), 0, 0, 0, 0, time.monotonic() - start)
    failed: list[FailedCandidate] = []
    for key in _list_candidates(repository, selector, max_fallback):
        try:
            manifest = repository.load(key)
            one = _RestoreOne(repository, manifest, target, force, cache, n_threads, progress)
            return replace(one.run(), failed=tuple(failed), seconds=time.monotonic() - start)
        except DAMAGE as error:
            failed.append(FailedCandidate(key.step, key.key, f"{type(error).__name__}: {error}"))
    tried = "; ".join(f"step {candidate.step}: {candidate.reason}" for candidate in failed)
    raise CorruptData(f"no checkpoint of {repository.store.url} could be restored; tried {tried}")


def _list_candidates(repository: Repository, selector: str | int, max_fallback: int) -> list[CheckpointKey]:
    """Return the chosen checkpoint and those saved before it, which may stand in for it, newest first."""
    chosen = repository.find(selector)
    older = [key for key in repository.list_checkpoints() if key < chosen]
    return [chosen, *reversed(older)][: max_fallback + 1]


@dataclass
class _RestoreOne:
    """The restore of one checkpoint, whatever comes of it."""

    repository: Repository
    manifest: Manifest
    target: Path
    force: bool
    cache: ObjectCache | None
    n_threads: int
    progress: Progress | None
    done_bytes: int = 0

    def run(self) -> RestoreReport:
        final = self.target / self.manifest.name
        with name_disk_errors(final):
            standing = inspect_standing(final, self.manifest)
        if standing.same:
            self._write_trackers(None)
            return self._report(final, reused_bytes=self.manifest.raw_bytes, fetched_bytes=0)
        if standing.exists and not self.force:
            raise TargetExists(
                f"{final} exists and is not checkpoint {self.manifest.name!r} as it was published"
            )
        with name_disk_errors(self.target), open_workroom(self.target, self.manifest.name) as room:
            tree = room / "tree"
            cache = self.cache or ObjectCache(room / OBJECTS_NAME, limit_bytes=_UNLIMITED_BYTES)
            with ObjectFetcher(self.repository.store) as fetcher:
                TreeWriter(self.manifest, tree, cache, fetcher, self.n_threads, self._advance).write(
                    standing.usable
                )
            publish_tree(tree, final, room)
            self._write_trackers(room)
        reused_bytes = sum(file.size_bytes for file in self.manifest.files if file.path in standing.usable)
        return self._report(final, reused_bytes, fetcher.fetched_bytes)

    def _write_trackers(self, room: Path | None) -> None:
        """Let the trackers name the checkpoint, which stands in its place by now."""
        with name_disk_errors(self.target):
            unwritten = list_unwritten_trackers(self.manifest, self.target)
            if not unwritten:
                return
            with nullcontext(room) if room else open_workroom(self.target, self.manifest.name) as place:
                for tracker in unwritten:
                    write_tracker(tracker, self.target, place)

    def _report(self, final: Path, reused_bytes: int, fetched_bytes: int) -> RestoreReport:
        return RestoreReport(
            path=final,
            manifest=self.manifest,
            skipped=False,
            failed=(),
            n_files=len(self.manifest.files),
            restored_bytes=self.manifest.raw_bytes - reused_bytes,
            reused_bytes=reused_bytes,
            fetched_bytes=fetched_bytes,
            seconds=0.0,
        )

    def _advance(self, n_bytes: int) -> None:
        self.done_bytes += n_bytes
        if self.progress is not None:
            self.progress(self.done_bytes, self.manifest.raw_bytes)
