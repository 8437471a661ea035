"""Whether anything is still to be done without new files: what a flush, a shutdown and `--once` wait for. Pure."""

import math
from collections.abc import Collection

from weightzip.daemon.jobs.outcomes import GIVEN_UP
from weightzip.daemon.jobs.pinned import PinnedCheckpoint
from weightzip.daemon.watch.candidate import Stage
from weightzip.daemon.watch.watcher import Look


def can_settle_by(look: Look, pins: Collection[PinnedCheckpoint], end_seconds: float) -> bool:
    """Say whether waiting until `end_seconds` can bring anything further: work goes on, or a candidate may become complete."""
    if pins or look.complete:
        return True
    rechecks = (finding.judgement.recheck_at_seconds for finding in look.findings)
    return any(recheck is not None and recheck <= end_seconds for recheck in rechecks)


def is_settled(look: Look, pins: Collection[PinnedCheckpoint]) -> bool:
    """Say whether all complete checkpoints are committed and time alone would complete no other."""
    return not can_settle_by(look, pins, math.inf)


def list_unsettled(look: Look, pins: Collection[PinnedCheckpoint]) -> list[str]:
    """Return what is waited for, in words, a checkpoint each."""
    waiting = [
        f"{finding.sighting.name}: {finding.judgement.reason or 'complete'}"
        for finding in look.findings
        if finding.judgement.stage == Stage.MARKED or finding.judgement.recheck_at_seconds is not None
    ]
    return [*waiting, *(f"{pin.record.name}: not stored yet" for pin in pins)]


def is_newest_committed(look: Look, pins: Collection[PinnedCheckpoint]) -> bool:
    """Say whether the newest complete checkpoint on disk is safe and no other waits; incomplete candidates do not count."""
    if pins or look.complete:
        return False
    handled = [finding.judgement for finding in look.findings if finding.judgement.stage == Stage.PINNED]
    return not handled or handled[-1].reason != GIVEN_UP
