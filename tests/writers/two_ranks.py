"""Two processes with FSDP2 over gloo: real DTensors, real collective saves. A checkpoint's files come from both."""

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.multiprocessing.spawn import spawn

from writers.tiny_model import Training, build_model, make_optimizer, walk_steps

N_RANKS = 2

Save = Callable[[Path, int, Training], None]
"""Writes the checkpoint of a step below a folder; called in every process, a function of a module."""


def write_with_two_ranks(saves: Mapping[Path, Save], steps: tuple[int, ...], width: int) -> None:
    """Train in two processes and, at each of the steps, call every function in both, each with a folder of its own."""
    with tempfile.TemporaryDirectory() as place:
        start: Any = spawn
        start(_work, args=(f"{place}/rendezvous", saves, steps, width), nprocs=N_RANKS)


def collect_state(training: Training) -> dict[str, Any]:
    """Return model and optimizer by the names of parameters, as DCP wants them."""
    model, optimizer = get_state_dict(training.model, training.optimizer)
    return {"model": model, "optimizer": optimizer, "scheduler": training.scheduler.state_dict()}


def _work(rank: int, place: str, saves: Mapping[Path, Save], steps: tuple[int, ...], width: int) -> None:
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{place}", rank=rank, world_size=N_RANKS)
    torch.manual_seed(0)
    model = build_model(width)
    mesh = init_device_mesh("cpu", (N_RANKS,))
    fully_shard(model, mesh=mesh)
    training = Training(model, *make_optimizer(model))
    for step in walk_steps(training, steps):
        for root, save in saves.items():
            save(root, step, training)
            dist.barrier()
    dist.destroy_process_group()
