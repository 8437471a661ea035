"""Retention: which checkpoints stay, and what may then be deleted without breaking one that stays."""

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from weightzip.daemon.store import CheckpointKey, Manifest, Repository, StoredObject
from weightzip.daemon.store.layout import OBJECTS_PREFIX, object_key, parse_object_key
from weightzip.daemon.store.protocol import TEMPORARY_PREFIX
from weightzip.errors import UsageError

MIN_KEPT = 2
"""Checkpoints that stay whatever is asked: the newest may yet turn out to be useless."""

ORPHAN_GRACE_SECONDS = 24 * 3600.0
"""How long an object may lie in the store before its manifest: a publish takes less than that."""


@dataclass(frozen=True)
class RetentionPlan:
    """What a retention run would do.

    `delete_objects` are archives that only removed checkpoints need. `orphans` are objects that no manifest
    names, older than the grace period: left by an interrupted publish or removal.
    """

    keep: tuple[Manifest, ...]
    remove: tuple[Manifest, ...]
    delete_objects: tuple[StoredObject, ...]
    orphans: tuple[StoredObject, ...]

    @property
    def freed_bytes(self) -> int:
        """Return how many bytes of archives the plan would delete."""
        return sum(item.size_bytes for item in (*self.delete_objects, *self.orphans))


@dataclass(frozen=True)
class RetentionReport:
    """What a retention run did."""

    n_removed_checkpoints: int
    n_deleted_objects: int
    freed_bytes: int


def plan_retention(
    manifests: Sequence[Manifest],
    *,
    keep_last: int,
    keep_every: int | None = None,
    orphans: Sequence[StoredObject] = (),
) -> RetentionPlan:
    """Decide which checkpoints stay and what may go; looks at nothing but its arguments.

    The `keep_last` that were saved last stay (never fewer than 2), whatever their steps, and steps divisible by
    `keep_every`. Archives that a kept checkpoint leans on stay whatever happens to the checkpoint that brought them.

    Raises:
        UsageError: `keep_last` or `keep_every` is below 1.
    """
    if keep_last < 1 or (keep_every is not None and keep_every < 1):
        raise UsageError("keep_last and keep_every are counts of 1 or more")
    ordered = sorted(manifests, key=lambda manifest: manifest.checkpoint_key)
    removed = {
        manifest.checkpoint_key
        for manifest in ordered[: -max(keep_last, MIN_KEPT)]
        if keep_every is None or manifest.step % keep_every
    }
    return _plan(ordered, removed, orphans)


def plan_removal(manifests: Sequence[Manifest], keys: Collection[CheckpointKey]) -> RetentionPlan:
    """Plan to remove exactly these checkpoints; all others stay, with all that they lean on."""
    return _plan(manifests, keys, ())


def find_orphans(
    repository: Repository, manifests: Sequence[Manifest], *, spared: Collection[str] = ()
) -> tuple[StoredObject, ...]:
    """List objects that no manifest names and that are older than the grace period by the store's clock.

    Keys that are not of our making are never listed, nor are the objects of the digests in `spared`. Objects of unknown
    age stay. `manifests` are all there are, read before this is called.
    """
    named = _name_objects(manifests).union(map(object_key, spared))
    oldest_seconds = time.time() - ORPHAN_GRACE_SECONDS
    found = [item for item in repository.store.list_objects(OBJECTS_PREFIX) if parse_object_key(item.key)]
    found += repository.store.list_objects(TEMPORARY_PREFIX)
    return tuple(
        item
        for item in found
        if item.key not in named
        and item.modified_seconds is not None
        and item.modified_seconds < oldest_seconds
    )


def execute_plan(repository: Repository, plan: RetentionPlan) -> RetentionReport:
    """Carry out a plan: manifests first, oldest first, then objects that no manifest in the store names any more.

    An abort at any point leaves every checkpoint that is still listed whole.

    Raises:
        CorruptData, UnsupportedVersion: a remaining manifest cannot be read, so nobody knows what it needs:
            no object is deleted.
    """
    for manifest in plan.remove:
        repository.remove(manifest.checkpoint_key)
    # Read anew: somebody may have published since the plan was made. A listing may lag: the plan's own are added.
    named = _name_objects((*repository.load_all(), *plan.keep))
    doomed = [item for item in (*plan.delete_objects, *plan.orphans) if item.key not in named]
    for item in doomed:
        repository.store.delete(item.key)
    return RetentionReport(len(plan.remove), len(doomed), sum(item.size_bytes for item in doomed))


def _name_objects(manifests: Iterable[Manifest]) -> set[str]:
    """Return the keys of all objects that manifests name."""
    return {object_key(digest) for manifest in manifests for digest in manifest.object_digests}


def _plan(
    manifests: Sequence[Manifest], removed: Collection[CheckpointKey], orphans: Sequence[StoredObject]
) -> RetentionPlan:
    keep = tuple(manifest for manifest in manifests if manifest.checkpoint_key not in removed)
    remove = tuple(manifest for manifest in manifests if manifest.checkpoint_key in removed)
    needed = {digest for manifest in keep for digest in manifest.object_digests}
    doomed = {
        record.object_digest: StoredObject(object_key(record.object_digest), record.size_bytes)
        for manifest in remove
        for record in manifest.encoding.archives.values()
        if record.object_digest not in needed
    }
    return RetentionPlan(keep, remove, tuple(doomed.values()), tuple(orphans))
