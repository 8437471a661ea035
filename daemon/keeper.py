"""Retention: which checkpoints stay, and what may then be deleted without breaking one that stays."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from weightzip.daemon.store.manifest import Manifest
from weightzip.daemon.store.protocol import StoredObject
from weightzip.daemon.store.repository import Repository

MIN_KEPT = 2
ORPHAN_GRACE_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class RetentionPlan:
    """What a retention run would do. `reasons` says per kept identity why it stays.

    `orphans` are objects that no manifest names, older than the grace period: left by an interrupted publish or
    removal.
    """

    keep: tuple[Manifest, ...]
    remove: tuple[Manifest, ...]
    reasons: dict[str, str]
    delete_objects: tuple[str, ...]
    orphans: tuple[StoredObject, ...]
    freed_bytes: int


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
    pinned: Collection[str] = (),
    orphans: Sequence[StoredObject] = (),
) -> RetentionPlan:
    """Decide which checkpoints stay: the last `keep_last` (never fewer than 2), steps divisible by `keep_every`,
    and the identities in `pinned`. Pure: looks at nothing but its arguments.

    Archives that a kept checkpoint leans on stay whatever happens to the checkpoint that brought them.
    """
    raise NotImplementedError


def plan_removal(manifests: Sequence[Manifest], identities: Collection[str]) -> RetentionPlan:
    """Plan to remove exactly these checkpoints, all others stay."""
    raise NotImplementedError


def find_orphans(repository: Repository, manifests: Sequence[Manifest]) -> tuple[StoredObject, ...]:
    """List objects that no manifest names and that are older than the grace period, by the store's clock."""
    raise NotImplementedError


def execute_plan(repository: Repository, plan: RetentionPlan) -> RetentionReport:
    """Carry out a plan: manifests first, then objects that no manifest in the store names any more.

    Raises:
        CorruptData, UnsupportedVersion: a remaining manifest cannot be read, so nobody knows what it needs:
            no object is deleted.
    """
    raise NotImplementedError
