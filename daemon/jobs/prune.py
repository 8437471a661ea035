"""Retention after each commit: the plan by keeper.py, carried out or only remembered for status."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import structlog

from weightzip.config.retention import RetentionSettings
from weightzip.daemon.jobs.gateway import StoreGateway
from weightzip.daemon.jobs.ledger import Ledger
from weightzip.daemon.jobs.leftovers import list_noted_objects
from weightzip.daemon.keeper import execute_plan, find_orphans, plan_retention
from weightzip.daemon.metrics import Metrics
from weightzip.daemon.store import Manifest, Repository, StoredObject
from weightzip.errors import CorruptData, UnsupportedVersion

_ORPHANS_EVERY_SECONDS = 3600.0
"""How often orphans are looked for at most: that lists every object of the store."""


class Pruner:
    """Applies the retention rules. `is_paused` is asked first: a daemon that drains must not spend time on this.

    With the rules enforced it also collects what interrupted work left in the store, but nothing that is noted below
    `work_root`: archives may be sent long before their checkpoint is published.
    """

    def __init__(
        self,
        settings: RetentionSettings,
        work_root: Path,
        gateway: StoreGateway,
        ledger: Ledger,
        metrics: Metrics,
        is_paused: Callable[[], bool],
    ) -> None:
        self._settings = settings
        self._work_root = work_root
        self._gateway = gateway
        self._ledger = ledger
        self._metrics = metrics
        self._is_paused = is_paused
        self._prunable_steps: tuple[int, ...] = ()
        self._orphans_due_at = time.monotonic()
        self._log = structlog.get_logger("retention")

    @property
    def prunable_steps(self) -> tuple[int, ...]:
        """Return the steps that the rules would remove, as of the last plan."""
        return self._prunable_steps

    def prune(self) -> None:
        """Plan, and with `retention.enforce` delete. Raises StoreUnavailable."""
        if self._settings.keep_last is None or self._is_paused():
            return
        repository = self._gateway.require()
        try:
            manifests = repository.load_all()
            plan = plan_retention(
                manifests,
                keep_last=self._settings.keep_last,
                keep_every=self._settings.keep_every,
                orphans=self._find_orphans(repository, manifests),
            )
            self._prunable_steps = tuple(manifest.step for manifest in plan.remove)
            self._metrics.prunable_checkpoints.set(len(plan.remove))
            if not self._settings.enforce or not (plan.remove or plan.orphans):
                return
            report = execute_plan(repository, plan)
        except (CorruptData, UnsupportedVersion) as error:
            # Nobody knows what a manifest needs that cannot be read: keep everything, say so, go on storing.
            self._log.error("retention stopped", error=str(error))
            return
        self._metrics.pruned_checkpoints.inc(report.n_removed_checkpoints)
        self._metrics.pruned_bytes.inc(report.freed_bytes)
        self._log.info(
            "pruned", steps=self._prunable_steps, orphans=len(plan.orphans), freed_bytes=report.freed_bytes
        )
        self._prunable_steps = ()
        self._metrics.prunable_checkpoints.set(0)
        self._ledger.remove(plan.remove)

    def _find_orphans(
        self, repository: Repository, manifests: Sequence[Manifest]
    ) -> tuple[StoredObject, ...]:
        now = time.monotonic()
        if not self._settings.enforce or now < self._orphans_due_at:
            return ()
        self._orphans_due_at = now + _ORPHANS_EVERY_SECONDS
        return find_orphans(repository, manifests, spared=list_noted_objects(self._work_root))
