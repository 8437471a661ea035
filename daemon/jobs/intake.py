"""From a look at the watched directory to pins in the queue, and the numbers that describe what was seen."""

import errno
import threading
import time
from pathlib import Path

import structlog

from weightzip.config.retention import RetentionSettings
from weightzip.daemon.jobs.ledger import Ledger
from weightzip.daemon.jobs.outcomes import GIVEN_UP, Outcomes
from weightzip.daemon.jobs.outdated import is_outdated
from weightzip.daemon.jobs.pin_queue import PinQueue
from weightzip.daemon.jobs.pinned import ContentKey, content_key
from weightzip.daemon.jobs.pipeline import Pipeline
from weightzip.daemon.jobs.spool import Spool
from weightzip.daemon.layouts import Sighting
from weightzip.daemon.metrics import Metrics
from weightzip.daemon.watch.candidate import Stage
from weightzip.daemon.watch.watcher import Finding, Look, Watcher
from weightzip.errors import DiskFull, SourceChanged, StoreUnavailable

_FULL_PAUSE_SECONDS = 5.0
_EMPTY = Look((), None)


class Intake:
    """Does one look after another and pins what is complete, the newest first."""

    def __init__(
        self,
        source: Path,
        retention: RetentionSettings,
        spool: Spool,
        queue: PinQueue,
        pipeline: Pipeline,
        ledger: Ledger,
        outcomes: Outcomes,
        metrics: Metrics,
    ) -> None:
        self._source = source
        self._retention = retention
        self._spool = spool
        self._queue = queue
        self._pipeline = pipeline
        self._ledger = ledger
        self._outcomes = outcomes
        self._metrics = metrics
        self._lock = threading.Lock()
        self._look = _EMPTY
        self._log = structlog.get_logger("intake")

    @property
    def look(self) -> Look:
        """Return the last look."""
        with self._lock:
            return self._look

    @property
    def is_holding_back(self) -> bool:
        """Say whether the last look found complete checkpoints that were not pinned yet."""
        return bool(self.look.complete)

    def find_handling(self, sighting: Sighting, step: int) -> str | None:
        """Say what was done with these very files before; None if they are still to be stored."""
        content = content_key(sighting)
        if any(pin.name == sighting.name and pin.content == content for pin in self._pipeline.pins):
            return "pinned"
        if self._outcomes.is_given_up(sighting.name, content):
            return GIVEN_UP
        try:
            if self._ledger.find(sighting.name, step, content) is not None:
                return "committed"
            return "removed by retention" if self._is_outdated(sighting, step, content) else None
        except StoreUnavailable:
            return None  # pinned once more than needed at worst; the pipeline asks again

    def _is_outdated(self, sighting: Sighting, step: int, content: ContentKey) -> bool:
        """Say whether storing it would be in vain: without this, what was pruned would be stored again and again."""
        if self._ledger.was_pruned(sighting.name, content):
            return True
        rules = self._retention
        if not rules.enforce or rules.keep_last is None:
            return False
        committed = self._ledger.checkpoints()
        return is_outdated(sighting.saved_at_seconds, step, committed, rules.keep_last, rules.keep_every)

    def take(self, watcher: Watcher, now_seconds: float) -> float | None:
        """Look once, pin what is complete; returns when to look again at the latest.

        Raises:
            OSError: the watched directory cannot be read, or is gone.
        """
        look = watcher.look(now_seconds, self._ledger.shapes(), self._ledger.sightings())
        self._metrics.last_look_timestamp_seconds.set_to_current_time()
        again_at = look.next_look_at_seconds
        for finding in reversed(look.complete):
            if not self._pin(finding):
                pause_until = now_seconds + _FULL_PAUSE_SECONDS
                again_at = pause_until if again_at is None else min(again_at, pause_until)
        self._note(look)
        if look.root_vanished:
            raise FileNotFoundError(errno.ENOENT, "the watched directory is gone", str(self._source))
        return again_at

    def _pin(self, finding: Finding) -> bool:
        """Pin one complete checkpoint; False if it must be tried again later without any change on disk."""
        if not self._queue.has_room((finding.sighting.saved_at_seconds, finding.step)):
            return False
        start = time.monotonic()
        try:
            pin = self._spool.pin(self._source, finding.sighting, finding.step, time.time(), finding.trackers)
        except SourceChanged as error:
            self._metrics.incomplete_attempts.labels("changed_while_reading").inc()
            self._log.warning("changed while it was pinned", step=finding.step, error=str(error))
            return True
        except DiskFull as error:
            self._metrics.disk_full.set(1)
            self._pipeline.free_disk()
            self._log.warning("disk full", step=finding.step, error=str(error))
            return False
        self._metrics.disk_full.set(0)
        self._metrics.checkpoint_stage_duration_seconds.labels("pin").observe(time.monotonic() - start)
        self._metrics.checkpoint_last_seen_timestamp_seconds.set(pin.record.complete_at)
        self._log.info(
            "complete",
            name=pin.name,
            step=pin.step,
            layout=finding.layout,
            bytes=pin.size_bytes,
            how=pin.record.how,
        )
        crowded_out = self._queue.put(pin)
        if crowded_out is not None:
            self._log.warning("too many waiting, released", name=crowded_out.name, step=crowded_out.step)
            self._spool.release(crowded_out)
        return True

    def _note(self, look: Look) -> None:
        present = {finding.sighting.name for finding in look.findings}
        with self._lock:
            before, self._look = self._look, look
        for finding in before.findings:
            if finding.sighting.name in present or finding.judgement.stage >= Stage.PINNED:
                continue
            self._note_vanished(finding)
        complete = [f.step for f in look.findings if f.judgement.stage >= Stage.MARKED]
        self._metrics.incomplete_checkpoints.set(len(look.findings) - len(complete))
        if complete:
            self._metrics.checkpoint_last_seen_step.set(complete[-1])
        self.refresh()

    def _note_vanished(self, finding: Finding) -> None:
        """Count a candidate that the trainer deleted before it was committed."""
        if self.find_handling(finding.sighting, finding.step) is not None:
            return
        if finding.judgement.stage == Stage.MARKED:
            self._metrics.checkpoints.labels("superseded").inc()
            self._log.warning(
                "deleted before it could be pinned", step=finding.step, name=finding.sighting.name
            )
        else:
            self._metrics.incomplete_attempts.labels("vanished").inc()

    def refresh(self) -> None:
        """Bring the gauges of backlog and store up to date."""
        pins = self._pipeline.pins
        keys = self._ledger.checkpoints()
        self._metrics.backlog_checkpoints.set(len(pins))
        self._metrics.backlog_bytes.set(sum(pin.size_bytes for pin in pins))
        self._metrics.retained_checkpoints.set(len(keys))
        try:
            last = self._ledger.last()
        except StoreUnavailable:
            last = None  # the gauges keep what was true
        if keys and last is not None:
            self._metrics.checkpoint_last_durable_timestamp_seconds.set(last.created_at.timestamp())
            self._metrics.checkpoint_last_durable_step.set(keys[-1].step)
            self._metrics.chain_depth.set(last.chain_depth)
        self._metrics.spool_free_bytes.set(self._spool.free_bytes())
