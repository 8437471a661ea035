"""Local checkpoints of NVIDIA's resiliency extension: one file a rank, renamed from `_local.dirty.pt` when whole."""

import re

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.neighbours import find_unvouched
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.steps import read_numbered_step

_NAME = re.compile(r"iter_(\d{7,12})_\d{1,6}_local\.pt")


class NvrxLayout:
    """The files of one rank, in that rank's own directory."""

    name = "nvrx"
    signals: tuple[Signal, ...] = ("rename", "neighbours", "silence")

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        return sighting.kind == "file" and _NAME.fullmatch(sighting.name) is not None

    def find_step(self, sighting: Sighting) -> int:
        return read_numbered_step(_NAME, sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        return None if sighting.paths <= evidence.proven else find_unvouched(sighting, peers, patient)
