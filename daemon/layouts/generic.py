"""Any directory or file: no marker is known, so neighbours and silence must prove the end of a save."""

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.hf import NEGATIVE_MARKER
from weightzip.daemon.layouts.names import is_shard_name, read_step
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import PATIENT_FACTOR
from weightzip.daemon.layouts.sighting import Sighting

_NANOSECONDS = 10**9


class GenericLayout:
    """Checkpoints of an unknown trainer.

    With `choosy`, only what looks like a checkpoint is taken: a file with a known ending, or a directory that
    holds one. Without a number in its name, a checkpoint's step is the time of its newest file in seconds, so that
    each save under such a name has a step of its own. The order of saving does not depend on it.
    """

    name = "generic"

    def __init__(self, *, choosy: bool) -> None:
        self._choosy = choosy

    def claims(self, sighting: Sighting) -> bool:
        if not self._choosy:
            return bool(sighting.files)
        if sighting.kind == "file":
            return is_shard_name(sighting.name)
        return any(is_shard_name(path.rpartition("/")[2]) for path in sighting.paths)

    def find_step(self, sighting: Sighting) -> int:
        step = read_step(sighting.name)
        return sighting.newest_mtime_ns // _NANOSECONDS if step is None else step

    def find_missing(self, sighting: Sighting, evidence: Evidence) -> str | None:
        if NEGATIVE_MARKER in sighting.paths:
            return f"{NEGATIVE_MARKER} is still there"
        return None

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        for name in sorted(peers.root_names):
            if name.endswith("-unfinished") and sighting.name.startswith(name.removesuffix("-unfinished")):
                return f"{name} says that the save goes on"
        if sighting.kind == "file" and sighting.paths <= evidence.proven:
            return None
        if peers.looks_like_predecessor(sighting):
            return None
        missing = peers.missing_from_predecessor(sighting)
        if missing:
            return f"{missing[0]} of the predecessor is missing"
        missing = peers.missing_from_newer(sighting)
        if missing:
            return f"{missing[0]} of a newer checkpoint is missing"
        if peers.newer or patient:
            return None
        return f"no marker: waiting for a newer checkpoint or {PATIENT_FACTOR} quiet periods"
