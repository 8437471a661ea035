"""The state machine of one candidate: SEEN, QUIET, CLOSED, COUNTED, MARKED. Pure: no disk, the clock is a number."""

from dataclasses import dataclass, replace
from enum import IntEnum

from weightzip.daemon.layouts import Evidence, Layout, Peers, Sighting
from weightzip.daemon.layouts.expected import find_missing_file
from weightzip.daemon.layouts.neighbours import find_deleted
from weightzip.daemon.layouts.protocol import PATIENT_FACTOR


class Stage(IntEnum):
    """How far a candidate has come; each stage includes the ones before. PINNED is the pipeline's doing."""

    SEEN = 0
    QUIET = 1
    CLOSED = 2
    COUNTED = 3
    MARKED = 4
    PINNED = 5


@dataclass(frozen=True)
class Candidate:
    """A sighting and the time, in seconds of a monotonic clock, at which it was last seen to change."""

    sighting: Sighting
    changed_at_seconds: float


@dataclass(frozen=True)
class Judgement:
    """Where a candidate stands, why it is not further, and when looking again could change that (None: on change)."""

    stage: Stage
    reason: str | None = None
    recheck_at_seconds: float | None = None


def observe(known: Candidate | None, sighting: Sighting, now_seconds: float) -> Candidate:
    """Return the candidate after a new look: any difference, ctime included, starts its silence anew."""
    if known is not None and known.sighting.fingerprint == sighting.fingerprint:
        return replace(known, sighting=sighting)
    return Candidate(sighting, now_seconds)


def judge(
    candidate: Candidate,
    layout: Layout,
    evidence: Evidence | None,
    peers: Peers,
    *,
    now_seconds: float,
    quiet_seconds: float,
) -> Judgement:
    """Say how far the candidate has come.

    `evidence` is None until the files of this very sighting were checked; a candidate without it stops at QUIET.
    """
    quiet_at = candidate.changed_at_seconds + quiet_seconds
    if now_seconds < quiet_at:
        return Judgement(Stage.SEEN, "still changing, or changed a moment ago", quiet_at)
    strange = next((e.path for e in candidate.sighting.entries if e.kind == "other"), None)
    if strange is not None:
        return Judgement(Stage.QUIET, f"{strange} is a socket, a device or a pipe")
    unreadable = next((e.path for e in candidate.sighting.entries if e.kind == "unreadable"), None)
    if unreadable is not None:
        return Judgement(Stage.QUIET, f"{unreadable} cannot be read: run the daemon as the user that trains")
    if evidence is None:
        return Judgement(Stage.QUIET, "files not checked yet", now_seconds)
    if evidence.problem is not None:
        return Judgement(Stage.QUIET, evidence.problem)
    return _judge_whole(candidate, layout, evidence, peers, now_seconds, quiet_seconds)


def _judge_whole(
    candidate: Candidate,
    layout: Layout,
    evidence: Evidence,
    peers: Peers,
    now_seconds: float,
    quiet_seconds: float,
) -> Judgement:
    patient_at = candidate.changed_at_seconds + PATIENT_FACTOR * quiet_seconds
    patient = now_seconds >= patient_at
    if evidence.hole is not None and not patient:
        # A file that was copied sparsely has holes too: silence decides.
        return Judgement(Stage.QUIET, evidence.hole, patient_at)
    missing = find_missing_file(candidate.sighting, evidence)
    if missing is not None:
        return Judgement(Stage.CLOSED, missing)
    unwritten = peers.find_unwritten(candidate.sighting)
    if unwritten is not None:
        return Judgement(Stage.COUNTED, f"{unwritten} is still that of the save before: the rest is newer")
    deleted = find_deleted(candidate.sighting, peers)
    if deleted is not None:
        return Judgement(Stage.COUNTED, f"{deleted} is gone: the checkpoints before and after have it")
    reason = layout.find_unmarked(candidate.sighting, evidence, peers, patient)
    if reason is not None:
        return Judgement(Stage.COUNTED, reason, None if patient else patient_at)
    return Judgement(Stage.MARKED)
