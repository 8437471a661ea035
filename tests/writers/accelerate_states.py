"""Checkpoints of the real `Accelerator.save_state`, with automatic names: no marker says that one is complete."""

from pathlib import Path

from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration

from writers.tiny_model import compute_loss, start_training


def write(folder: Path, steps: tuple[int, ...], width: int) -> None:
    """Write `accelerate/checkpoints/checkpoint_<i>`."""
    training = start_training(width, groups=True)
    settings = ProjectConfiguration(str(folder / "accelerate"), automatic_checkpoint_naming=True)
    accelerator = Accelerator(cpu=True, project_config=settings)
    model, optimizer, scheduler = accelerator.prepare(training.model, training.optimizer, training.scheduler)
    for step in range(1, max(steps) + 1):
        accelerator.backward(compute_loss(model))
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        if step in steps:
            accelerator.save_state()
