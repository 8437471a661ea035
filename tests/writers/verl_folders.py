"""Checkpoints as verl writes them: `torch.save` of DTensors, a file a rank and kind, the number of ranks in each name."""

from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict

from writers.tiny_model import Training
from writers.two_ranks import N_RANKS


def save_verl(root: Path, step: int, training: Training) -> None:
    """Write `global_step_N/actor` of all ranks, and the tracker beside."""
    folder = root / f"global_step_{step}" / "actor"
    folder.mkdir(parents=True, exist_ok=True)
    rank = dist.get_rank()
    kinds = {
        "model": training.model.state_dict(),
        "optim": get_optimizer_state_dict(training.model, training.optimizer),
        "extra_state": {"lr_scheduler": training.scheduler.state_dict(), "rng": torch.get_rng_state()},
    }
    for kind, state in kinds.items():
        torch.save(state, folder / f"{kind}_world_size_{N_RANKS}_rank_{rank}.pt")
    dist.barrier()
    if rank == 0:
        (root / "latest_checkpointed_iteration.txt").write_text(str(step))
