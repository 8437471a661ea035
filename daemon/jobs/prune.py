"""Retention after each commit: the plan by keeper.py, carried out or only remembered for status."""

from collections.abc import Callable

import structlog

from weightzip.config.retention import RetentionSettings
from weightzip.daemon.jobs.gateway import StoreGateway
from weightzip.daemon.jobs.ledger import Ledger
from weightzip.daemon.keeper import execute_plan, plan_retention
from weightzip.daemon.metrics import Metrics
from weightzip.errors import CorruptData, UnsupportedVersion


class Pruner:
    """Applies the retention rules. `is_paused` is asked first: a daemon that drains must not spend time on this."""

    def __init__(
        self,
        settings: RetentionSettings,
        gateway: StoreGateway,
        ledger: Ledger,
        metrics: Metrics,
        is_paused: Callable[[], bool],
    ) -> None:
        self._settings = settings
        self._gateway = gateway
        self._ledger = ledger
        self._metrics = metrics
        self._is_paused = is_paused
        self._prunable_steps: tuple[int, ...] = ()
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
            plan = plan_retention(
                repository.load_all(),
                keep_last=self._settings.keep_last,
                keep_every=self._settings.keep_every,
            )
            self._prunable_steps = tuple(manifest.step for manifest in plan.remove)
            self._metrics.prunable_checkpoints.set(len(plan.remove))
            if not plan.remove or not self._settings.enforce:
                return
            report = execute_plan(repository, plan)
        except (CorruptData, UnsupportedVersion) as error:
            # Nobody knows what a manifest needs that cannot be read: keep everything, say so, go on storing.
            self._log.error("retention stopped", error=str(error))
            return
        self._metrics.pruned_checkpoints.inc(report.n_removed_checkpoints)
        self._metrics.pruned_bytes.inc(report.freed_bytes)
        self._log.info("pruned", steps=self._prunable_steps, freed_bytes=report.freed_bytes)
        self._prunable_steps = ()
        self._metrics.prunable_checkpoints.set(0)
        self._ledger.remove(plan.remove)
