"""Single files of `torch.save`, as scripts without a trainer write them: zip and legacy."""

from pathlib import Path

import torch

from writers.tiny_model import start_training, walk_steps


def write(folder: Path, steps: tuple[int, ...], width: int) -> None:
    """Write `torch-zip` and `torch-legacy`: `step-N.pt` whose optimizer knows the names of its parameters."""
    _write(folder / "torch-zip", steps, width, zipped=True)
    _write(folder / "torch-legacy", steps, width, zipped=False)


def _write(root: Path, steps: tuple[int, ...], width: int, *, zipped: bool) -> None:
    root.mkdir()
    training = start_training(width, named=True)
    for step in walk_steps(training, steps):
        whole = {
            "step": step,
            "model": training.model.state_dict(),
            "optimizer": training.optimizer.state_dict(),
            "scheduler": training.scheduler.state_dict(),
        }
        torch.save(whole, root / f"step-{step}.pt", _use_new_zipfile_serialization=zipped)
