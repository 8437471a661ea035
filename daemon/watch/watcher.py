"""Looks at the watched directory and says which candidates are complete, and why the others are not.

One look at a time; the caller decides when (loop.py) and what happens to a complete candidate (jobs/).
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import structlog

from weightzip.daemon.checkpoint import Tracker
from weightzip.daemon.layouts import Evidence, Layout, Peers, Sighting, assign_layouts
from weightzip.daemon.layouts.closed import gather_evidence
from weightzip.daemon.layouts.names import count_shapes, strip_numbers
from weightzip.daemon.layouts.trackers import select_trackers
from weightzip.daemon.watch.candidate import Candidate, Judgement, Stage, judge, observe
from weightzip.daemon.watch.scan import scan_source
from weightzip.daemon.watch.trackers import list_texts, read_trackers

FindHandling = Callable[[Sighting, int], str | None]
"""Says what was done with a complete checkpoint (sighting, step) before: "pinned", "committed", ...; None if nothing."""


@dataclass(frozen=True)
class Finding:
    """What one look says about one candidate. `trackers` are those beside it that name it, or will."""

    sighting: Sighting
    layout: str
    step: int
    judgement: Judgement
    trackers: tuple[Tracker, ...] = ()


@dataclass(frozen=True)
class Look:
    """The result of one look: all candidates in the order of saving, and when to look again at the latest.

    `root_vanished`: an earlier look saw the watched directory, and now it does not exist.
    """

    findings: tuple[Finding, ...]
    next_look_at_seconds: float | None
    root_vanished: bool = False

    @property
    def complete(self) -> tuple[Finding, ...]:
        """Return the candidates that are MARKED: ready to be pinned."""
        return tuple(finding for finding in self.findings if finding.judgement.stage == Stage.MARKED)


@dataclass(frozen=True)
class _Claim:
    candidate: Candidate
    layout: Layout
    step: int


class Watcher:
    """Keeps what is known about each candidate from look to look."""

    def __init__(
        self,
        root: Path,
        layouts: tuple[Layout, ...],
        *,
        quiet_seconds: float,
        ignore: tuple[str, ...],
        trust_kernel: bool,
        find_handling: FindHandling,
    ) -> None:
        self._root = root
        self._layouts = layouts
        self._quiet_seconds = quiet_seconds
        self._ignore = ignore
        self._trust_kernel = trust_kernel
        self._find_handling = find_handling
        self._candidates: dict[str, Candidate] = {}
        self._evidence: dict[str, tuple[Sighting, Evidence]] = {}
        self._complete: dict[str, Sighting] = {}
        self._attempted: dict[str, Sighting] = {}
        self._root_seen = False
        self._log = structlog.get_logger("watch")

    def look(
        self,
        now_seconds: float,
        shapes_before: Mapping[str, Counter[str]],
        saved_before: Mapping[str, Sighting] | None = None,
    ) -> Look:
        """Scan the directory once and judge every candidate.

        `shapes_before` gives, per family (name without numbers), the shape of the newest committed checkpoint: the
        predecessor when none is left on disk. `saved_before` gives committed checkpoints by name, for saves into the
        same place that another process did not see begin.

        Raises:
            OSError: the directory cannot be read.
        """
        # Before the scan: what a tracker names was there when it was written.
        trackers = read_trackers(self._root)
        sightings, root_names = scan_source(self._root, self._ignore)
        self._candidates = {s.name: observe(self._candidates.get(s.name), s, now_seconds) for s in sightings}
        for kept in (self._evidence, self._complete, self._attempted):
            for name in kept.keys() - self._candidates.keys():
                del kept[name]
        # As the store orders them: after a run was set back, the checkpoints of higher steps are the older ones.
        claims = sorted(
            self._claims(root_names),
            key=lambda claim: (claim.candidate.sighting.saved_at_seconds, claim.step),
        )
        findings: list[Finding] = []
        shapes = dict(shapes_before)
        for position, claim in enumerate(claims):
            sighting = claim.candidate.sighting
            family = strip_numbers(sighting.name)
            newer = (later.candidate.sighting for later in claims[position + 1 :])
            peers = Peers(
                shapes.get(family),
                tuple(later for later in newer if strip_numbers(later.name) == family),
                root_names,
                list_texts(trackers),
                self._complete.get(sighting.name) or (saved_before or {}).get(sighting.name),
                self._attempted.get(sighting.name),
            )
            judgement = self._judge(claim, peers, now_seconds)
            if judgement.stage >= Stage.MARKED:
                shapes[family] = count_shapes(sighting.paths)
            self._remember(sighting, judgement, peers)
            own = select_trackers(trackers, sighting.name, claim.step)
            findings.append(Finding(sighting, claim.layout.name, claim.step, judgement, own))
        times = [f.judgement.recheck_at_seconds for f in findings]
        next_look_at = min((time for time in times if time is not None), default=None)
        return Look(tuple(findings), next_look_at, self._has_root_vanished())

    def _remember(self, sighting: Sighting, judgement: Judgement, peers: Peers) -> None:
        """Keep what the next save into the same place will be compared with."""
        if judgement.stage >= Stage.MARKED:
            self._complete[sighting.name] = sighting
            self._attempted.pop(sighting.name, None)
        elif judgement.stage == Stage.COUNTED and peers.find_unwritten(sighting) is not None:
            self._attempted.setdefault(sighting.name, sighting)

    def _has_root_vanished(self) -> bool:
        exists = self._root.exists()
        self._root_seen = self._root_seen or exists
        return self._root_seen and not exists

    def _claims(self, root_names: frozenset[str]) -> list[_Claim]:
        sightings = [candidate.sighting for candidate in self._candidates.values()]
        layouts = assign_layouts(self._layouts, sightings, root_names)
        return [
            _Claim(self._candidates[name], layout, layout.find_step(self._candidates[name].sighting))
            for name, layout in layouts.items()
        ]

    def _judge(self, claim: _Claim, peers: Peers, now_seconds: float) -> Judgement:
        candidate = claim.candidate
        handling = self._find_handling(candidate.sighting, claim.step)
        if handling is not None:
            return Judgement(Stage.PINNED, handling)

        def judge_with(evidence: Evidence | None) -> Judgement:
            return judge(
                candidate,
                claim.layout,
                evidence,
                peers,
                now_seconds=now_seconds,
                quiet_seconds=self._quiet_seconds,
            )

        judgement = judge_with(None)
        if judgement.stage == Stage.SEEN:
            return judgement
        try:
            return judge_with(self._find_evidence(candidate.sighting))
        except OSError as error:
            # One bad sector, or a file that another user may read: it is looked at again, and so are the others.
            return Judgement(Stage.QUIET, f"cannot be read: {error}")
        except Exception as error:  # noqa: BLE001 - a boundary: what lies in one checkpoint must not cost the others
            self._log.exception("a checkpoint cannot be judged", checkpoint=candidate.sighting.name)
            reason = f"cannot be judged, {type(error).__name__}: {error}"
            self._evidence[candidate.sighting.name] = (candidate.sighting, Evidence(problem=reason))
            return Judgement(Stage.QUIET, reason)

    def _find_evidence(self, sighting: Sighting) -> Evidence:
        known = self._evidence.get(sighting.name)
        if known is not None and known[0].fingerprint == sighting.fingerprint:
            return known[1]
        evidence = gather_evidence(self._root / sighting.name, sighting, trust_kernel=self._trust_kernel)
        self._evidence[sighting.name] = (sighting, evidence)
        return evidence
