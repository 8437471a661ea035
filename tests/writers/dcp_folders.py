"""Directories of torch.distributed.checkpoint: of one process, and of two in the ways of torchtitan and of HF's Trainer."""

import json
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict_saver import save as save_distributed

from writers.tiny_model import Training, start_training, walk_steps
from writers.two_ranks import collect_state, write_with_two_ranks
from writers.verl_folders import save_verl


def write(folder: Path, steps: tuple[int, ...], width: int) -> None:
    """Write `dcp` of a single process; of two `torchtitan`, `hf-fsdp` and `verl`."""
    training = start_training(width)
    for step in walk_steps(training, steps):
        save_distributed(collect_state(training), checkpoint_id=folder / "dcp" / f"step-{step}", no_dist=True)
    saves = {
        folder / "torchtitan": _save_titan,
        folder / "hf-fsdp": _save_hf,
        folder / "verl": save_verl,
    }
    write_with_two_ranks(saves, steps, width)


def _save_titan(root: Path, step: int, training: Training) -> None:
    state = {**collect_state(training), "train_state": {"step": step}}
    save_distributed(state, checkpoint_id=root / f"step-{step}")


def _save_hf(root: Path, step: int, training: Training) -> None:
    folder = root / f"checkpoint-{step}"
    state = collect_state(training)
    save_distributed({"model": state["model"]}, checkpoint_id=folder / "pytorch_model_fsdp_0")
    save_distributed({"optimizer": state["optimizer"]}, checkpoint_id=folder / "optimizer_0")
    rank = dist.get_rank()
    torch.save({"cpu": torch.get_rng_state()}, folder / f"rng_state_{rank}.pth")
    dist.barrier()
    if rank == 0:
        torch.save(state["scheduler"], folder / "scheduler.pt")
        (folder / "trainer_state.json").write_text(json.dumps({"global_step": step}))
