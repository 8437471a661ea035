"""Any directory or file: no marker is known, so neighbours and silence must prove the end of a save."""

from weightzip.daemon.checkpoint import TRACKER_FILES
from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.names import is_shard_name
from weightzip.daemon.layouts.neighbours import find_unfinished, find_unvouched
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.steps import read_step_or_time


class GenericLayout:
    """Checkpoints of an unknown trainer.

    With `choosy`, only what looks like a checkpoint is taken: a file with a known ending, or a directory that
    holds one.
    """

    name = "generic"
    signals: tuple[Signal, ...] = ("negative marker", "expected set", "neighbours", "silence")

    def __init__(self, *, choosy: bool) -> None:
        self._choosy = choosy

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        if sighting.kind == "file" and sighting.name in TRACKER_FILES:
            return False
        if not self._choosy:
            return bool(sighting.files)
        if sighting.kind == "file":
            return is_shard_name(sighting.name)
        return any(is_shard_name(path.rpartition("/")[2]) for path in sighting.paths)

    def find_step(self, sighting: Sighting) -> int:
        return read_step_or_time(sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        unfinished = find_unfinished(sighting, peers)
        if unfinished is not None or (sighting.kind == "file" and sighting.paths <= evidence.proven):
            return unfinished
        return find_unvouched(sighting, peers, patient)
