"""The same weights and moments in the files of different trainers, so that their ratios may be compared."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch.distributed.checkpoint.state_dict_saver import save as save_distributed

from benchmarks.cases.training_state import TrainingState

_HYPERPARAMETERS = {"lr": 1e-3, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1, "amsgrad": False}


def write_safetensors_form(folder: Path, state: TrainingState) -> None:
    """Write `model.safetensors` and `optimizer.safetensors`: what the other forms are held against."""
    _write_model(folder, state)
    moments = {"exp_avg": state.exp_avg, "exp_avg_sq": state.exp_avg_sq}
    tensors = {
        f"{slot}.{name}": tensor for slot, tensors in moments.items() for name, tensor in tensors.items()
    }
    save_file(tensors, folder / "optimizer.safetensors", metadata={"format": "pt"})


def write_hf_form(folder: Path, state: TrainingState) -> None:
    """Write `model.safetensors` and `optimizer.pt`, as HF's Trainer does."""
    _write_model(folder, state)
    numbers = dict(enumerate(state.weights))
    groups = [{**_HYPERPARAMETERS, "params": list(numbers)}]
    slots = {number: _list_slots(state, name) for number, name in numbers.items()}
    torch.save({"state": slots, "param_groups": groups}, folder / "optimizer.pt")


def write_dcp_form(folder: Path, state: TrainingState) -> None:
    """Write `__0_0.distcp` and `.metadata`, as torch.distributed.checkpoint does for one rank."""
    optimizer = {
        "state": {name: _list_slots(state, name) for name in state.weights},
        "param_groups": [{**_HYPERPARAMETERS, "params": list(state.weights)}],
    }
    whole = {"model": dict(state.weights), "optimizer": optimizer, "step": state.step}
    save_distributed(whole, checkpoint_id=str(folder), no_dist=True)


FORMS: Mapping[str, Callable[[Path, TrainingState], None]] = {
    "safetensors": write_safetensors_form,
    "optimizer.pt": write_hf_form,
    ".distcp": write_dcp_form,
}


def _write_model(folder: Path, state: TrainingState) -> None:
    save_file(dict(state.weights), folder / "model.safetensors", metadata={"format": "pt"})


def _list_slots(state: TrainingState, name: str) -> dict[str, Any]:
    step = torch.tensor(float(state.step))
    return {"step": step, "exp_avg": state.exp_avg[name], "exp_avg_sq": state.exp_avg_sq[name]}
