"""DLRover's flash checkpoints: other trainers' directories, written by an agent after the trainer has gone on.

Small files such as `trainer_state.json` are there long before the weights; only the tracker, which the agent writes
when every rank's part has arrived, tells the end.
"""

import re

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.neighbours import find_unvouched_ranks
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.steps import read_numbered_step

TRACKER = "dlrover_latest.txt"
_NAME = re.compile(r"(?:[A-Za-z][A-Za-z_]*[-_]?)?(\d{1,12})(?:\.[a-z]+)?")


class DlroverLayout:
    """Checkpoints in a directory with DLRover's tracker: `100`, `checkpoint-100`, `global_step100`, `iter_0000100`."""

    name = "dlrover"
    signals: tuple[Signal, ...] = ("tracker", "expected set", "neighbours")

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        return TRACKER in root_names and _NAME.fullmatch(sighting.name) is not None

    def find_step(self, sighting: Sighting) -> int:
        return read_numbered_step(_NAME, sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        step, tracked = self.find_step(sighting), peers.find_tracked_step(TRACKER)
        if tracked is None or tracked < step:
            text = peers.trackers.get(TRACKER)
            return f"{TRACKER} says {text!r}: it is written when every part of step {step} has arrived"
        return None if tracked == step else find_unvouched_ranks(sighting, peers, patient=True)
