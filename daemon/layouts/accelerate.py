"""Accelerate's `save_state`: `checkpoint_<i>` directories without a marker; the random states are written last."""

import re

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.neighbours import find_unfinished, find_unvouched_ranks
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.steps import read_numbered_step

_NAME = re.compile(r"checkpoint_(\d{1,12})")
_LAST = "random_states_0.pkl"


class AccelerateLayout:
    """Checkpoints with automatic names; the step is Accelerate's own count of saves."""

    name = "accelerate"
    signals: tuple[Signal, ...] = ("expected set", "neighbours", "silence")

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        return sighting.kind == "directory" and _NAME.fullmatch(sighting.name) is not None

    def find_step(self, sighting: Sighting) -> int:
        return read_numbered_step(_NAME, sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        if _LAST not in sighting.paths:
            return f"{_LAST} is missing: it is written after the models and optimizers"
        return find_unfinished(sighting, peers) or find_unvouched_ranks(sighting, peers, patient)
