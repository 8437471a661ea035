"""Files that scripts write without a trainer: safetensors, npz of NumPy, GGUF for inference."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGUFWriter
from safetensors.torch import save_file

from writers.tiny_model import Training, start_training, walk_steps


def write(folder: Path, steps: tuple[int, ...], width: int) -> None:
    """Write `safetensors`, `numpy` and `gguf`."""
    for name in ("safetensors", "numpy", "gguf"):
        (folder / name).mkdir()
    training = start_training(width)
    for step in walk_steps(training, steps):
        tensors = _list_tensors(training)
        save_file(tensors, folder / "safetensors" / f"step-{step}.safetensors")
        arrays: dict[str, Any] = {name: tensor.numpy() for name, tensor in tensors.items()}
        np.savez(folder / "numpy" / f"step-{step}.npz", **arrays)
        _write_gguf(folder / "gguf" / f"step-{step}.gguf", arrays)


def _list_tensors(training: Training) -> dict[str, torch.Tensor]:
    found = {}
    for name, weight in training.model.named_parameters():
        found[f"model.{name}"] = weight.detach()
        for slot in ("exp_avg", "exp_avg_sq"):
            found[f"optimizer.state.{name}.{slot}"] = training.optimizer.state[weight][slot]
    return found


def _write_gguf(path: Path, arrays: dict[str, Any]) -> None:
    writer = GGUFWriter(path, "llama")
    for name, array in arrays.items():
        if name.startswith("model."):
            writer.add_tensor(name, array.astype(np.float16) if array.ndim > 1 else array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
