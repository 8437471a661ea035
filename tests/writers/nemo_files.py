"""NeMo's files, built from their documented structure: `.nemo` archives and distributed checkpoints."""

import io
import tarfile
from pathlib import Path

import torch

from writers.megatron_folders import SLOTS, copy_model, write_torch_dist
from writers.tiny_model import Training, start_training, walk_steps


def write(folder: Path, steps: tuple[int, ...], width: int) -> None:
    """Write `nemo-archive` and `nemo-dist`."""
    training = start_training(width)
    (folder / "nemo-archive").mkdir()
    for step in walk_steps(training, steps):
        _write_archive(folder / "nemo-archive" / f"model-step={step}.nemo", training)
        tensors = {f"state_dict.{name}": value for name, value in copy_model(training).items()}
        for name, weight in training.model.named_parameters():
            for slot in SLOTS:
                tensors[f"optimizer_states.0.state.{slot}.{name}"] = training.optimizer.state[weight][slot]
        target = folder / "nemo-dist" / f"model-step={step}-consumed_samples={64 * step}.0"
        write_torch_dist(target / "weights", tensors, step)
        (target / "context").mkdir()
        (target / "context" / "model.yaml").write_text("_target_: tiny\n")


def _write_archive(path: Path, training: Training) -> None:
    weights = io.BytesIO()
    torch.save(training.model.state_dict(), weights)
    with tarfile.open(path, "w") as archive:
        for name, data in {
            "./model_config.yaml": b"width: 32\n",
            "./model_weights.ckpt": weights.getvalue(),
        }.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
