"""DeepSpeed: a directory a tag, one file a rank, no marker that waits for all ranks.

Rank 0 writes `latest` while others may still be writing, so it proves nothing; the set of files and silence must.
"""

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.expected.deepspeed import has_deepspeed_files
from weightzip.daemon.layouts.neighbours import find_unfinished, find_unvouched_ranks
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.steps import read_step_or_time


class DeepSpeedLayout:
    """Tags of ZeRO stages 0 to 3, and universal checkpoints made from them."""

    name = "deepspeed"
    signals: tuple[Signal, ...] = ("expected set", "neighbours", "silence")

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        return sighting.kind == "directory" and has_deepspeed_files(sighting.folders.get("", {}))

    def find_step(self, sighting: Sighting) -> int:
        return read_step_or_time(sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        return find_unfinished(sighting, peers) or find_unvouched_ranks(sighting, peers, patient)
