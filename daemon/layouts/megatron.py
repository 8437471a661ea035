"""Megatron-LM, Megatron-Core and Megatron-Bridge: `iter_0000100` directories and a tracker beside them, written last.

The order of a save: `.distcp` files, `.metadata`, `metadata.json`, and after a barrier the tracker; an asynchronous
save does the same minutes later.
"""

import re

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.expected.dcp import METADATA
from weightzip.daemon.layouts.neighbours import find_unfinished, find_unvouched_ranks
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.steps import read_numbered_step

TRACKER = "latest_checkpointed_iteration.txt"
RELEASE = "release"
_NAME = re.compile(r"iter_(\d{7,12})")
_RANK_FOLDER = re.compile(r"mp_rank_(\d{2,6})(?:_(\d{3,6}))?(?:_(\d{3,6}))?/")


class MegatronLayout:
    """Checkpoints of the formats torch, torch_dist, torch_dcp, fsdp_dtensor and zarr."""

    name = "megatron"
    signals: tuple[Signal, ...] = ("tracker", "marker", "expected set", "file times", "neighbours", "silence")

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        named = _NAME.fullmatch(sighting.name) is not None
        return sighting.kind == "directory" and (
            named or (sighting.name == RELEASE and TRACKER in root_names)
        )

    def find_step(self, sighting: Sighting) -> int:
        return 0 if sighting.name == RELEASE else read_numbered_step(_NAME, sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        unfinished = (
            find_unfinished(sighting, peers) or _find_missing_rank(sighting) or find_stale_json(sighting)
        )
        if unfinished is not None:
            return unfinished
        text = peers.trackers.get(TRACKER)
        if text is None:  # other directories than the main one have no tracker
            return find_unvouched_ranks(sighting, peers, patient)
        step, tracked = self.find_step(sighting), peers.find_tracked_step(TRACKER)
        if text == RELEASE and sighting.name == RELEASE:
            return None
        if tracked is None or tracked < step:
            return f"{TRACKER} says {text!r}: it is written when the save of {sighting.name} is done"
        # A later step proves an earlier one only if that one is no rest of a save that broke off.
        if tracked == step or any(METADATA in files for files in sighting.folders.values()):
            return None
        return find_unvouched_ranks(sighting, peers, patient=True)


def find_stale_json(sighting: Sighting) -> str | None:
    """Say whether `metadata.json` is of an earlier save than the `.metadata` beside it, which is written before it."""
    for folder, files in sorted(sighting.folders.items()):
        earlier, later = files.get(METADATA), files.get("metadata.json")
        if earlier is not None and later is not None and later.mtime_ns < earlier.mtime_ns:
            return (
                f"{folder}metadata.json is older than {folder}.metadata: the directory is being written again"
            )
    return None


def _find_missing_rank(sighting: Sighting) -> str | None:
    """Say what a directory a rank lacks: all hold the same files, and no number of a rank is left out."""
    ranks = {
        folder: set(files) for folder, files in sighting.folders.items() if _RANK_FOLDER.fullmatch(folder)
    }
    if not ranks:
        return None
    wanted = set().union(*ranks.values())
    for folder, names in sorted(ranks.items()):
        if names != wanted:
            return f"{folder}{min(wanted - names)} is missing"
    cells = [
        tuple(int(number) for number in match.groups() if number is not None)
        for folder in ranks
        if (match := _RANK_FOLDER.fullmatch(folder))
    ]
    n_expected = 1
    for axis in zip(*cells, strict=False):
        n_expected *= max(axis) + 1
    if n_expected != len(cells):
        return f"{len(cells)} of {n_expected} mp_rank_* directories are there"
    return None
