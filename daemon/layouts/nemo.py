"""NeMo: a marker `<name>-unfinished` stands beside a checkpoint until every rank is done.

Its checkpoints are directories with Megatron-Core's files (inside `weights/` since NeMo 2), and `.nemo` archives.
"""

import re

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.expected.dcp import METADATA
from weightzip.daemon.layouts.megatron import find_stale_json
from weightzip.daemon.layouts.neighbours import find_unfinished, find_unvouched_ranks
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.steps import read_step_or_time

MARKER = "metadata.json"
_NAME = re.compile(r".*step=\d{1,12}.*")
_WEIGHTS = ("weights/", "")


class NemoLayout:
    """Directories named after a step that hold, or will hold, Megatron-Core's files; `.nemo` files."""

    name = "nemo"
    signals: tuple[Signal, ...] = (
        "negative marker",
        "marker",
        "file times",
        "expected set",
        "neighbours",
        "silence",
    )

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        if sighting.kind == "file":
            return sighting.name.endswith(".nemo")
        if any(path.startswith(("weights/", "context/")) for path in sighting.paths):
            return True
        return _NAME.fullmatch(sighting.name) is not None and not sighting.name.endswith(".ckpt")

    def find_step(self, sighting: Sighting) -> int:
        return read_step_or_time(sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        unfinished = find_unfinished(sighting, peers) or find_stale_json(sighting)
        if unfinished is not None:
            return unfinished
        if sighting.kind == "directory":
            return _find_missing_marker(sighting)
        return None if sighting.paths <= evidence.proven else find_unvouched_ranks(sighting, peers, patient)


def _find_missing_marker(sighting: Sighting) -> str | None:
    if any(folder + METADATA in sighting.paths and folder + MARKER in sighting.paths for folder in _WEIGHTS):
        return None
    return f"{MARKER} and {METADATA} of the weights are not both there: they are written last"
