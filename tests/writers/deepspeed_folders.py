"""DeepSpeed's directories, built from their documented structure: ZeRO-2 and ZeRO-3 with bf16, and universal."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from writers.partitions import Tensors, cut_evenly, cut_flat, flatten_group, list_fragments
from writers.stand_ins import LossScaler, ZeroStageEnum, fragment_address, standing_in
from writers.tiny_model import Training, start_training, walk_steps

N_RANKS = 2
VERSION = "0.18.2"
CONFIG = {"train_batch_size": 64, "bf16": {"enabled": True}, "zero_optimization": {"stage": 2}}
SLOTS = ("exp_avg", "exp_avg_sq")


def write(folder: Path, steps: tuple[int, ...], width: int) -> None:
    """Write `deepspeed-zero2`, `deepspeed-zero3` and `deepspeed-universal`."""
    training = start_training(width)
    for step in walk_steps(training, steps):
        with standing_in():
            _write_zero2(folder / "deepspeed-zero2", step, training)
            _write_zero3(folder / "deepspeed-zero3", step, training)
            _write_universal(folder / "deepspeed-universal", step, training)


def _write_zero2(root: Path, step: int, training: Training) -> None:
    target = root / f"global_step{step}"
    target.mkdir(parents=True)
    weights = dict(training.model.named_parameters())
    flat = flatten_group(weights, N_RANKS)
    bits = flat.bfloat16()
    module, position = OrderedDict[str, torch.Tensor](), 0
    for name, weight in weights.items():  # all views of one storage
        module[name] = bits[position : position + weight.numel()].view(weight.shape)
        position += weight.numel()
    shapes = OrderedDict((name, weight.shape) for name, weight in weights.items())
    torch.save(_describe_model(step, module, [shapes], training), target / "mp_rank_00_model_states.pt")
    padding = flat.numel() - position
    for rank in range(N_RANKS):
        part = cut_flat(weights, rank, N_RANKS)
        last = rank == N_RANKS - 1
        fragments = list_fragments(weights, rank, N_RANKS)
        state = {
            "loss_scaler": LossScaler(),
            "dynamic_loss_scale": False,
            "overflow": False,
            "clip_grad": 1.0,
            "base_optimizer_state": {
                "state": {0: _cut_slots(training, step, partial(cut_flat, rank=rank, n_ranks=N_RANKS))},
                "param_groups": [{"lr": 1e-2, "betas": (0.9, 0.95), "params": [0]}],
            },
            "single_partition_of_fp32_groups": [part[: part.numel() - padding] if last and padding else part],
            "zero_stage": ZeroStageEnum.gradients,
            "group_paddings": [padding if last else 0],
            "partition_count": [N_RANKS],
            "ds_version": VERSION,
            "param_slice_mappings": [
                OrderedDict((name, fragment_address(one.n_elements, one.start)) for name, one in fragments.items())
            ],
        }  # fmt: skip
        whole = {"optimizer_state_dict": state, "ds_config": CONFIG, "ds_version": VERSION}
        torch.save(whole, target / f"bf16_zero_pp_rank_{rank}_mp_rank_00_optim_states.pt")
    (root / "latest").write_text(target.name)


def _write_zero3(root: Path, step: int, training: Training) -> None:
    target = root / f"global_step{step}"
    target.mkdir(parents=True)
    weights = dict(training.model.named_parameters())
    shapes = OrderedDict((name, weight.shape) for name, weight in weights.items())
    for rank in range(N_RANKS):
        empty = OrderedDict((name, torch.empty(0, dtype=torch.bfloat16)) for name in weights)
        stem = target / f"zero_pp_rank_{rank}_mp_rank_00"
        torch.save(_describe_model(step, empty, [shapes], training), f"{stem}_model_states.pt")
        state = {
            "zero_stage": ZeroStageEnum.weights,
            "loss_scaler": LossScaler(),
            "partition_count": N_RANKS,
            "optimizer_state_dict": {
                "state": {0: _cut_slots(training, step, partial(cut_evenly, rank=rank, n_ranks=N_RANKS))},
                "param_groups": [{"lr": 1e-2, "betas": (0.9, 0.95), "params": [0]}],
            },
            "fp32_flat_groups": [cut_evenly(weights, rank, N_RANKS)],
            "ds_version": VERSION,
        }
        whole = {"optimizer_state_dict": state, "ds_config": CONFIG, "ds_version": VERSION}
        torch.save(whole, f"{stem}_optim_states.pt")
    (root / "latest").write_text(target.name)


def _write_universal(root: Path, step: int, training: Training) -> None:
    target = root / f"global_step{step}_universal"
    for name, weight in training.model.named_parameters():
        place = target / "zero" / name
        place.mkdir(parents=True)
        state = training.optimizer.state[weight]
        values = {"fp32": weight.detach(), **{slot: state[slot] for slot in SLOTS}, "step": state["step"]}
        for slot, value in values.items():
            torch.save({"param": value} if slot != "step" else value, place / f"{slot}.pt")
    torch.save(_describe_model(step, OrderedDict(), [], training), target / "mp_rank_00_model_states.pt")
    (root / "latest_universal").write_text(target.name)


def _cut_slots(training: Training, step: int, cut: Callable[[Tensors], torch.Tensor]) -> dict[str, Any]:
    parts = {slot: cut(_list_slot(training, slot)) for slot in SLOTS}
    return {"step": torch.tensor(float(step)), **parts}


def _list_slot(training: Training, slot: str) -> Tensors:
    return {name: training.optimizer.state[p][slot] for name, p in training.model.named_parameters()}


def _describe_model(step: int, module: Tensors, shapes: list[Any], training: Training) -> dict[str, Any]:
    return {
        "module": module,
        "buffer_names": [],
        "optimizer": None,
        "param_shapes": shapes,
        "frozen_param_shapes": None,
        "frozen_param_fragments": None,
        "shared_params": {},
        "lr_scheduler": training.scheduler.state_dict(),
        "global_steps": step,
        "skipped_steps": 0,
        "dp_world_size": N_RANKS,
        "mp_world_size": 1,
        "ds_config": CONFIG,
        "ds_version": VERSION,
    }
