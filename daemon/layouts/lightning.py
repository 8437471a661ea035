"""Lightning and Fabric: `.ckpt` files, and `.ckpt` directories of shards in which `meta.pt` is written last.

`last.ckpt` may be a symbolic link, which is a tracker, or a copy, which is a checkpoint as any other.
"""

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.expected.dcp import METADATA
from weightzip.daemon.layouts.neighbours import find_unfinished, find_unvouched_ranks
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.steps import read_step_or_time

MARKER = "meta.pt"


class LightningLayout:
    """Checkpoints whose name ends with `.ckpt`."""

    name = "lightning"
    signals: tuple[Signal, ...] = (
        "marker",
        "file times",
        "expected set",
        "negative marker",
        "neighbours",
        "silence",
    )

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        return sighting.name.endswith(".ckpt")

    def find_step(self, sighting: Sighting) -> int:
        return read_step_or_time(sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        unfinished = find_unfinished(sighting, peers)
        if unfinished is not None:
            return unfinished
        if METADATA in sighting.paths:
            return _find_missing_marker(sighting)
        proven = sighting.kind == "file" and sighting.paths <= evidence.proven
        return None if proven else find_unvouched_ranks(sighting, peers, patient)


def _find_missing_marker(sighting: Sighting) -> str | None:
    files = sighting.folders[""]
    if MARKER not in files:
        return f"{MARKER} is missing: it is written last"
    newer = next((n for n, entry in sorted(files.items()) if entry.mtime_ns > files[MARKER].mtime_ns), None)
    return f"{newer} is newer than {MARKER}: the directory is being written again" if newer else None
