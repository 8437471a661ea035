"""verl: `global_step_<i>` directories whose files say how many ranks there are, and a tracker beside them."""

import re

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.neighbours import find_unfinished, find_unvouched_ranks
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.steps import read_numbered_step

TRACKER = "latest_checkpointed_iteration.txt"
_NAME = re.compile(r"global_step_(\d{1,12})")


class VerlLayout:
    """Checkpoints of actor and critic; the tracker may never be written when saves are asynchronous."""

    name = "verl"
    signals: tuple[Signal, ...] = ("expected set", "tracker", "neighbours", "silence")

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        return sighting.kind == "directory" and _NAME.fullmatch(sighting.name) is not None

    def find_step(self, sighting: Sighting) -> int:
        return read_numbered_step(_NAME, sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        unfinished = find_unfinished(sighting, peers)
        if unfinished is not None or peers.find_tracked_step(TRACKER) == self.find_step(sighting):
            return unfinished
        return find_unvouched_ranks(sighting, peers, patient)
