"""Checkpoint directories in the manner of HF's Trainer: `checkpoint-N/`, `trainer_state.json` last, the oldest removed."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from demo import model
from demo.adamw import OptimizerState, learning_rate
from demo.tensors import read_safetensors, round_to_bf16, write_safetensors

SLOTS = {"fp32_param": "master", "exp_avg": "exp_avg", "exp_avg_sq": "exp_avg_sq"}  # name in the file: field


@dataclass(frozen=True)
class Progress:
    """Everything that decides how training goes on."""

    step: int
    total_steps: int
    optimizer: OptimizerState
    rng: np.random.Generator


def save_checkpoint(folder: Path, progress: Progress) -> Path:
    """Write `folder/checkpoint-<step>` and return it; only `trainer_state.json` tells that it is complete."""
    target = folder / f"checkpoint-{progress.step}"
    target.mkdir(parents=True)
    _write_json(target / "config.json", _describe_model())
    master = progress.optimizer.master
    write_safetensors(
        target / "model.safetensors", {name: round_to_bf16(value) for name, value in master.items()}
    )
    slots = {slot: getattr(progress.optimizer, field) for slot, field in SLOTS.items()}
    write_safetensors(
        target / "optimizer.safetensors",
        {f"{slot}.{name}": value for slot, tensors in slots.items() for name, value in tensors.items()},
    )
    rate = learning_rate(progress.step, progress.total_steps)
    _write_json(target / "scheduler.json", {"last_epoch": progress.step, "_last_lr": [rate]})
    _write_json(target / "rng_state.json", progress.rng.bit_generator.state)
    state = {"global_step": progress.step, "max_steps": progress.total_steps}
    _write_json(target / "trainer_state.json", state)
    return target


def load_checkpoint(folder: Path) -> Progress:
    """Return the training state that `save_checkpoint` wrote to this `checkpoint-N` folder."""
    stored = read_safetensors(folder / "optimizer.safetensors")
    slots = {
        field: {
            name.removeprefix(f"{slot}."): value
            for name, value in stored.items()
            if name.startswith(f"{slot}.")
        }
        for slot, field in SLOTS.items()
    }
    state = _read_json(folder / "trainer_state.json")
    rng = np.random.Generator(np.random.PCG64())
    rng.bit_generator.state = _read_json(folder / "rng_state.json")
    return Progress(state["global_step"], state["max_steps"], OptimizerState(**slots), rng)


def list_checkpoints(folder: Path) -> list[Path]:
    """Return the complete checkpoints of a run, oldest step first."""
    found = [path.parent for path in folder.glob("checkpoint-*/trainer_state.json")]
    return sorted(found, key=lambda path: int(path.name.removeprefix("checkpoint-")))


def rotate_checkpoints(folder: Path, keep: int) -> None:
    """Remove all but the `keep` newest checkpoints, as `save_total_limit` does."""
    for path in list_checkpoints(folder)[:-keep]:
        shutil.rmtree(path)


def _describe_model() -> dict[str, Any]:
    return {
        "model_type": "byte-mlp",
        "torch_dtype": "bfloat16",
        "context": model.CONTEXT,
        "embedding_size": model.EMBEDDING,
        "hidden_size": model.WIDTH,
        "intermediate_size": model.HIDDEN,
        "num_hidden_layers": model.N_BLOCKS,
        "vocab_size": 256,
    }


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n")


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text())
