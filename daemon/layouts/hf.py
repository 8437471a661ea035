"""Hugging Face Trainer: `checkpoint-N` directories, `trainer_state.json` written last by rank 0.

FSDP and DeepSpeed put their files into directories inside; the marker is the trainer's own all the same.
"""

import re

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.neighbours import find_unfinished
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.protocol import Signal
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.daemon.layouts.steps import read_numbered_step

MARKER = "trainer_state.json"
_NAME = re.compile(r"checkpoint-(\d{1,12})")
# Written before the marker by rank 0, or by all ranks before they meet; other files of other ranks may come later.
_BEFORE_MARKER = re.compile(
    r"(model|pytorch_model|adapter_model|optimizer|scheduler)\b[^/]*\.(safetensors|bin|pt|json)"
    r"|.*\.distcp|.*_(model|optim)_states\.pt"
)


class HfLayout:
    """Checkpoints of the Hugging Face Trainer, and of trainers that copy its directory names without its marker."""

    name = "hf"
    signals: tuple[Signal, ...] = (
        "marker",
        "expected set",
        "file times",
        "negative marker",
        "neighbours",
    )

    def claims(self, sighting: Sighting, root_names: frozenset[str]) -> bool:
        return sighting.kind == "directory" and _NAME.fullmatch(sighting.name) is not None

    def find_step(self, sighting: Sighting) -> int:
        return read_numbered_step(_NAME, sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        unfinished = find_unfinished(sighting, peers)
        if unfinished is not None:
            return unfinished
        if MARKER not in sighting.paths:
            return _unmarked_without_marker(sighting, peers)
        reason = _find_newer_than_marker(sighting)
        if reason is None and not patient:
            reason = _find_other_step(self.find_step(sighting), evidence)
        if reason is not None:
            return reason
        ranks = _missing_ranks(sighting, peers)
        return f"{ranks} of the predecessor is missing" if ranks else None


def _missing_ranks(sighting: Sighting, peers: Peers) -> str | None:
    return next(
        (name for name in peers.missing_from_predecessor(sighting) if name == "rng_state_#.pth"), None
    )


def _find_other_step(wanted: int, evidence: Evidence) -> str | None:
    state = evidence.documents.get(MARKER)
    step = state.get("global_step") if isinstance(state, dict) else None
    return f"{MARKER} is of step {step}, not {wanted}" if isinstance(step, int) and step != wanted else None


def _find_newer_than_marker(sighting: Sighting) -> str | None:
    """Say why the marker seems to belong to an earlier save into the same directory.

    Silence does not excuse it: a trainer that died while it wrote into the directory again leaves a mixture.
    """
    by_path = {entry.path: entry for entry in sighting.files}
    for path, entry in by_path.items():
        if _BEFORE_MARKER.fullmatch(path) and entry.mtime_ns > by_path[MARKER].mtime_ns:
            return (
                f"{path} is newer than {MARKER}: the directory is being written again "
                f"(if it was copied here, touch {MARKER})"
            )
    return None


def _unmarked_without_marker(sighting: Sighting, peers: Peers) -> str | None:
    # Silence proves nothing here: a trainer that died before its marker looks just the same. Only a second
    # checkpoint with the same files shows that this trainer writes no marker at all.
    if peers.looks_like_predecessor(sighting):
        return None
    if peers.predecessor_shapes is None and peers.has_newer_twin(sighting):
        return None
    return (
        f"{MARKER} is missing; a trainer that writes none is accepted with its second checkpoint of the same files, "
        "or with source.layout: generic"
    )
