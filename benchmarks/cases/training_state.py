"""The weights and moments of one step, read from what a trainer saved: a pair of safetensors files, or `optimizer.pt`."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

Tensors = Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class TrainingState:
    """AdamW's state of one step, by names of parameters; the tensors of a name have the same shape in each mapping."""

    step: int
    weights: Tensors
    exp_avg: Tensors
    exp_avg_sq: Tensors


def list_steps(run: Path) -> dict[int, Path]:
    """Return the `<name>-<step>` folders of a run, in ascending order."""
    found = {int(path.name.rpartition("-")[2]): path for path in run.glob("*-*") if path.is_dir()}
    if not found:
        raise SystemExit(f"{run}: no <name>-<step> folders")
    return dict(sorted(found.items()))


def read_state(checkpoint: Path) -> TrainingState:
    """Read a checkpoint of HF's Trainer, or one whose `optimizer.safetensors` names masters and moments."""
    step = int(checkpoint.name.rpartition("-")[2])
    if (checkpoint / "optimizer.pt").exists():
        weights = load_file(checkpoint / "model.safetensors")
        state = torch.load(checkpoint / "optimizer.pt", weights_only=True)["state"]
        names = _name_numbers(state, weights)
        slots = (
            {name: state[number][slot] for number, name in names.items()}
            for slot in ("exp_avg", "exp_avg_sq")
        )
        return TrainingState(step, weights, *slots)
    stored = load_file(checkpoint / "optimizer.safetensors")
    return TrainingState(step, *(_select(stored, slot) for slot in ("fp32_param", "exp_avg", "exp_avg_sq")))


def _name_numbers(state: Mapping[int, Any], weights: Tensors) -> dict[int, str]:
    """Name the parameters that the optimizer numbers. Among those of one shape the order is a guess, each time the same."""
    names: dict[torch.Size, list[str]] = defaultdict(list)
    for name in sorted(weights, reverse=True):
        names[weights[name].shape].append(name)
    return {number: names[slots["exp_avg"].shape].pop() for number, slots in sorted(state.items())}


def _select(tensors: Tensors, slot: str) -> Tensors:
    return {
        name.removeprefix(f"{slot}."): tensor
        for name, tensor in tensors.items()
        if name.startswith(f"{slot}.")
    }
