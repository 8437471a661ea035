"""DeepSpeed's files of one tag: one a rank, in grids of data parallel and model parallel ranks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import prod

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.sighting import FileSighting, Sighting

Cell = tuple[int, ...]

_ZERO = re.compile(r"((?:bf16_|fp16_)?zero_pp_rank_)(\d{1,6})(_mp_rank_)(\d{2,6})(_(optim|model)_states\.pt)")
_MODEL = re.compile(r"mp_rank_(\d{2,6})_model_states\.pt")
_EXPERT = re.compile(r"(layer_-?\d+_expert_)(\d{1,6})(_mp_rank_)(\d{2,6})(_model_states\.pt)")
_EXPERT_OPTIMIZER = re.compile(r"(expp_rank_)(\d{1,6})(_mp_rank_)(\d{2,6})(_optim_states\.pt)")
_ANY = re.compile(r".*_(?:optim|model)_states\.pt")
_UNIVERSAL = re.compile(r"((?:.*/)?zero/[^/]+/)[a-z_0-9]+\.pt")
# Nebula leaves the torch.save of an empty text in place of each file and keeps the data elsewhere.
_PLACEHOLDER_BYTES = 1500


def has_deepspeed_files(names: Iterable[str]) -> bool:
    """Say whether any of these names is one of DeepSpeed's."""
    return any(_ANY.fullmatch(name) for name in names)


def find_missing_deepspeed(sighting: Sighting, evidence: Evidence) -> str | None:
    """Say which rank's file is missing, as far as the names and the files' own counts of ranks tell."""
    for folder, files in sorted(sighting.folders.items()):
        if has_deepspeed_files(files):
            reason = _find_placeholder(files) or _find_gap(files, evidence.n_ranks.get(folder, {}))
            if reason is not None:
                return folder + reason
    return _find_universal_gap(sighting.paths)


def _find_placeholder(files: Mapping[str, FileSighting]) -> str | None:
    for name, entry in sorted(files.items()):
        if _ANY.fullmatch(name) and entry.size_bytes < _PLACEHOLDER_BYTES:
            return f"{name} is a placeholder of {entry.size_bytes} bytes: its data lies elsewhere (Nebula)"
    return None


def _find_gap(files: Mapping[str, FileSighting], n_ranks: Mapping[str, int]) -> str | None:
    grids: dict[tuple[str, str, str], set[Cell]] = {}
    for name in files:
        for pattern in (_ZERO, _EXPERT, _EXPERT_OPTIMIZER):
            match = pattern.fullmatch(name)
            if match is not None:
                key = (match.group(1), match.group(3), match.group(5))
                grids.setdefault(key, set()).add((int(match.group(2)), int(match.group(4))))
    models = {int(match.group(1)) for name in files if (match := _MODEL.fullmatch(name))}
    n_model_ranks = n_ranks.get("mp_world_size", 0)
    for key, cells in sorted(grids.items()):
        told = (n_ranks.get("partition_count", 0) if key[2].startswith("_optim") else 0, n_model_ranks)
        missing = _first_missing(cells, told if key[0].endswith("zero_pp_rank_") else (0, 0))
        if missing is not None:
            return _name(key, missing) + " is missing"
    missing = _first_missing({(rank,) for rank in models}, (n_model_ranks,))
    if missing is not None:
        return f"mp_rank_{missing[0]:02d}_model_states.pt is missing"
    return _compare_grids(grids, models)


def _compare_grids(grids: Mapping[tuple[str, str, str], set[Cell]], models: set[int]) -> str | None:
    """Say what is missing of optimizer or model when the other one shows the ranks."""
    zero = {key: cells for key, cells in grids.items() if "zero_pp_rank_" in key[0]}
    optimizers = [cells for key, cells in zero.items() if key[2].startswith("_optim")]
    partitioned = [cells for key, cells in zero.items() if key[2].startswith("_model")]
    if partitioned:  # stage 3: every rank has a file of both kinds
        key = ("zero_pp_rank_", "_mp_rank_", "_optim_states.pt")
        for cell in sorted(set().union(*partitioned) ^ set().union(*optimizers)):
            other = "_model_states.pt" if any(cell in cells for cells in optimizers) else key[2]
            return _name((key[0], key[1], other), cell) + " is missing"
        return None
    for _, rank in sorted(set().union(*optimizers), key=lambda cell: cell[1]):
        if rank not in models:
            return f"mp_rank_{rank:02d}_model_states.pt is missing"
    return None


def _first_missing(cells: set[Cell], told: Cell) -> Cell | None:
    """Return the first cell that the grid up to the highest rank of each axis, seen or told, lacks.

    Looks at no more cells than there are, and one.
    """
    if not cells:
        return None
    sizes = [max(max(axis) + 1, n) for axis, n in zip(zip(*cells, strict=True), told, strict=True)]
    grid = (_take_cell(sizes, number) for number in range(prod(sizes)))
    return next((cell for cell in grid if cell not in cells), None)


def _take_cell(sizes: Sequence[int], number: int) -> Cell:
    """Return a cell of a grid by its number; the last axis is counted fastest."""
    cell = []
    for size in reversed(sizes):
        number, rank = divmod(number, size)
        cell.append(rank)
    return tuple(reversed(cell))


def _name(key: tuple[str, str, str], cell: Cell) -> str:
    return f"{key[0]}{cell[0]}{key[1]}{cell[1]:02d}{key[2]}"


def _find_universal_gap(paths: frozenset[str]) -> str | None:
    folders = {match.group(1) for path in paths if (match := _UNIVERSAL.fullmatch(path))}
    missing = sorted(folder for folder in folders if f"{folder}fp32.pt" not in paths)
    return f"{missing[0]}fp32.pt is missing" if missing else None
