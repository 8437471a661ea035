"""Lightning and Fabric: `.ckpt` files, and `.ckpt` directories of shards in which `meta.pt` is written last.

`last.ckpt` may be a symbolic link, which is a tracker, or a copy, which is a checkpoint as any other.
"""

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.expected import find_missing_file
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

    def find_missing(self, sighting: Sighting, evidence: Evidence) -> str | None:
        missing = find_missing_file(sighting, evidence)
        if missing is not None or METADATA not in sighting.paths:
            return missing
        files = sighting.folders[""]
        if MARKER not in files:
            return f"{MARKER} is missing: it is written last"
        newer = next(
            (n for n, entry in sorted(files.items()) if entry.mtime_ns > files[MARKER].mtime_ns), None
        )
        return f"{newer} is newer than {MARKER}: the directory is being written again" if newer else None

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        unfinished = find_unfinished(sighting, peers)
        proven = sighting.paths <= evidence.proven if sighting.kind == "file" else METADATA in sighting.paths
        if unfinished is not None or proven:
            return unfinished
        return find_unvouched_ranks(sighting, peers, patient)
