"""Megatron's iterations, built from their documented structure: `torch`, and `torch_dist` with both kinds of optimizer."""

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import torch
from torch.distributed.checkpoint.state_dict_saver import save as save_distributed

from writers.partitions import flatten_group
from writers.tiny_model import Training, start_training, walk_steps

SLOTS = ("exp_avg", "exp_avg_sq")
TRACKER = "latest_checkpointed_iteration.txt"


def write(folder: Path, steps: tuple[int, ...], width: int) -> None:
    """Write `megatron-torch`, `megatron-dist` (names in the optimizer) and `megatron-buckets` (flat buffers)."""
    training = start_training(width)
    for step in walk_steps(training, steps):
        name = f"iter_{step:07d}"
        _write_torch(folder / "megatron-torch" / name, step, training)
        state = _name_parameters(training)
        write_torch_dist(folder / "megatron-dist" / name, {**copy_model(training), **state}, step)
        buckets = _fill_buckets(training)
        write_torch_dist(folder / "megatron-buckets" / name, {**copy_model(training), **buckets}, step)
        for root in ("megatron-torch", "megatron-dist", "megatron-buckets"):
            (folder / root / TRACKER).write_text(str(step))


def copy_model(training: Training) -> dict[str, torch.Tensor]:
    """Return the weights in bf16 by their names."""
    return {name: weight.detach().bfloat16() for name, weight in training.model.named_parameters()}


def write_torch_dist(target: Path, tensors: dict[str, torch.Tensor], step: int) -> None:
    """Write a directory of Megatron-Core's `torch_dist`."""
    save_distributed(dict(tensors), checkpoint_id=target, no_dist=True)
    torch.save({"iteration": step, "args": Namespace(tensor_model_parallel_size=1)}, target / "common.pt")
    facts = {"sharded_backend": "torch_dist", "sharded_backend_version": 1}
    (target / "metadata.json").write_text(json.dumps({**facts, "common_backend": "torch"}))


def _write_torch(target: Path, step: int, training: Training) -> None:
    place = target / "mp_rank_00"
    place.mkdir(parents=True)
    weights = [weight.detach() for weight in training.model.parameters()]
    inner = training.optimizer.state_dict()
    whole: dict[str, Any] = {
        "args": Namespace(iteration=step, bf16=True),
        "checkpoint_version": 3.0,
        "iteration": step,
        "model": copy_model(training),
        "optimizer": {"optimizer": inner, "fp32_from_fp16_params": [weights]},
        "opt_param_scheduler": {"num_steps": step * 64},
        "rng_state": [{"torch_rng_state": torch.get_rng_state()}],
    }
    torch.save(whole, place / "model_optim_rng.pt")


def _name_parameters(training: Training) -> dict[str, torch.Tensor]:
    found = {}
    for name, weight in training.model.named_parameters():
        found[f"optimizer.state.fp32_param.{name}"] = weight.detach()
        for slot in SLOTS:
            found[f"optimizer.state.{slot}.{name}"] = training.optimizer.state[weight][slot]
    return found


def _fill_buckets(training: Training) -> dict[str, torch.Tensor]:
    prefix = (
        "optimizer.distributed.dp_group_idx_0.gbuf_idx_0.dtype_(torch.bfloat16, torch.float32).bucket_idx_0"
    )
    named = dict(training.model.named_parameters())
    slots = {
        slot: {name: training.optimizer.state[weight][slot] for name, weight in named.items()}
        for slot in SLOTS
    }
    return {
        f"{prefix}.{slot}": flatten_group(tensors, 32) for slot, tensors in {"param": named, **slots}.items()
    }
