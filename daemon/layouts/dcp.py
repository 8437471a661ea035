"""torchtitan, and any directory saved with torch's distributed checkpoints: `.metadata` is written last.

As safetensors the index comes last. Without one (each rank's shards alone) there is no marker.
"""

import re

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.expected.dcp import METADATA
from weightzip.daemon.layouts.neighbours import find_unfinished, find_unvouched_ranks
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.steps import read_step_or_time

INDEX = "model.safetensors.index.json"
_NAME = re.compile(r"step-\d{1,12}")


class DcpLayout:
    """`step-N` directories of torchtitan, and directories of another name that hold `.distcp` files."""

    name = "dcp"
    signals: tuple[Signal, ...] = ("marker", "expected set", "file times", "neighbours", "silence")

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        if sighting.kind != "directory":
            return False
        names = sighting.folders.get("", {})
        if METADATA in names or any(name.endswith(".distcp") for name in names):
            return True
        return _NAME.fullmatch(sighting.name) is not None and any(
            path.endswith(".safetensors") for path in sighting.paths
        )

    def find_step(self, sighting: Sighting) -> int:
        return read_step_or_time(sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        unfinished = find_unfinished(sighting, peers)
        if unfinished is not None:
            return unfinished
        if METADATA in sighting.paths or _has_fresh_index(sighting):
            return None
        return find_unvouched_ranks(sighting, peers, patient)


def _has_fresh_index(sighting: Sighting) -> bool:
    names = sighting.folders.get("", {})
    index = names.get(INDEX)
    return index is not None and all(
        entry.mtime_ns <= index.mtime_ns for name, entry in names.items() if name.endswith(".safetensors")
    )
