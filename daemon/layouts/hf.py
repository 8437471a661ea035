"""Hugging Face Trainer: `checkpoint-N` directories, `trainer_state.json` written last by rank 0."""

import re

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.names import count_shapes
from weightzip.daemon.layouts.peers import Peers
from weightzip.daemon.layouts.sighting import Sighting

MARKER = "trainer_state.json"
NEGATIVE_MARKER = "checkpoint-is-incomplete.txt"
_NAME = re.compile(r"checkpoint-(\d{1,12})")
_RANK_STATE = re.compile(r"rng_state_(\d{1,6})\.pth")
_SHARD = re.compile(r"(.*)-(\d+)-of-(\d+)(\.[a-z]+)")
_MAX_SHARDS = 100_000
# Written by rank 0 before the marker; other ranks' files may come later and say nothing about it.
_BEFORE_MARKER = re.compile(
    r"(model|pytorch_model|adapter_model|optimizer|scheduler)\b[^/]*\.(safetensors|bin|pt|json)"
)


class HfLayout:
    """Checkpoints of the Hugging Face Trainer, and of trainers that copy its directory names without its marker."""

    name = "hf"

    def claims(self, sighting: Sighting) -> bool:
        return sighting.kind == "directory" and _NAME.fullmatch(sighting.name) is not None

    def find_step(self, sighting: Sighting) -> int:
        match = _NAME.fullmatch(sighting.name)
        if match is None:
            raise ValueError(f"{sighting.name} is not a directory of this layout")
        return int(match.group(1))

    def find_missing(self, sighting: Sighting, evidence: Evidence) -> str | None:
        if NEGATIVE_MARKER in sighting.paths:
            return f"{NEGATIVE_MARKER} is still there"
        if not sighting.files:
            return "no file yet"
        missing = _missing_from_indices(sighting, evidence) or _missing_shards(sighting)
        return missing or _missing_rank_states(sighting)

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        if MARKER not in sighting.paths:
            return _unmarked_without_marker(sighting, peers)
        reason = _marker_of_another_save(sighting, evidence)
        if reason is not None and not patient:
            return reason
        ranks = _missing_ranks(sighting, peers)
        return f"{ranks} of the predecessor is missing" if ranks else None


def _missing_from_indices(sighting: Sighting, evidence: Evidence) -> str | None:
    for path, document in evidence.documents.items():
        if not path.endswith(".index.json") or not isinstance(document, dict):
            continue
        weight_map = document.get("weight_map")
        if not isinstance(weight_map, dict):
            continue
        folder = path.rpartition("/")[0]
        wanted = {f"{folder}/{name}" if folder else str(name) for name in weight_map.values()}
        missing = sorted(wanted - sighting.paths)
        if missing:
            return f"{missing[0]} named by {path} is missing"
    return None


def _missing_shards(sighting: Sighting) -> str | None:
    for path in sorted(sighting.paths):
        match = _SHARD.fullmatch(path)
        if match is None or not 0 < int(match.group(3)) <= _MAX_SHARDS:
            continue
        stem, total, ending = match.group(1), match.group(3), match.group(4)
        for number in range(1, int(total) + 1):
            name = f"{stem}-{number:0{len(match.group(2))}d}-of-{total}{ending}"
            if name not in sighting.paths:
                return f"{name} is missing"
    return None


def _missing_rank_states(sighting: Sighting) -> str | None:
    ranks = {int(match.group(1)) for path in sighting.paths if (match := _RANK_STATE.fullmatch(path))}
    # A single rank writes rng_state.pth without a number, so a number means two ranks or more.
    for rank in range(max(max(ranks) + 1, 2) if ranks else 0):
        if rank not in ranks:
            return f"rng_state_{rank}.pth is missing"
    return None


def _missing_ranks(sighting: Sighting, peers: Peers) -> str | None:
    return next(
        (name for name in peers.missing_from_predecessor(sighting) if name == "rng_state_#.pth"), None
    )


def _marker_of_another_save(sighting: Sighting, evidence: Evidence) -> str | None:
    """Say why the marker seems to belong to an earlier save into the same directory."""
    state = evidence.documents.get(MARKER)
    step = state.get("global_step") if isinstance(state, dict) else None
    wanted = HfLayout().find_step(sighting)
    if isinstance(step, int) and step != wanted:
        return f"{MARKER} is of step {step}, not {wanted}"
    by_path = {entry.path: entry for entry in sighting.files}
    for path, entry in by_path.items():
        if _BEFORE_MARKER.fullmatch(path) and entry.mtime_ns > by_path[MARKER].mtime_ns:
            return f"{path} is newer than {MARKER}: the directory is being written again"
    return None


def _unmarked_without_marker(sighting: Sighting, peers: Peers) -> str | None:
    # Silence proves nothing here: a trainer that died before its marker looks just the same. Only a second
    # checkpoint with the same files shows that this trainer writes no marker at all.
    if peers.looks_like_predecessor(sighting):
        return None
    mine = count_shapes(sighting.paths)
    twin = any(count_shapes(newer.paths) == mine for newer in peers.newer)
    if twin and peers.predecessor_shapes is None:
        return None
    return (
        f"{MARKER} is missing; a trainer that writes none is accepted with its second checkpoint of the same files, "
        "or with source.layout: generic"
    )
