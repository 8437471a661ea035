"""Saves that break off, into a new directory or over an old save: none is ever complete, whoever wrote it."""

import json
import os
import random
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save
from torch.distributed.checkpoint.state_dict_saver import save as save_dcp

from weightzip.daemon.layouts import choose_layouts
from weightzip.daemon.watch.candidate import Stage
from weightzip.daemon.watch.scan import look_at
from weightzip.daemon.watch.watcher import Watcher

N_CRASHES = 14
Save = Mapping[str, bytes]
"""The bytes of a save by path, in the order in which they are written; trackers beside it begin with `../`."""


def make_torch(room: Path, step: int, **extra: object) -> bytes:
    torch.save({"w": torch.full((40,), float(step)), **extra}, room / "x.pt")
    return (room / "x.pt").read_bytes()


def make_dcp(room: Path, step: int) -> dict[str, bytes]:
    save_dcp({"w": torch.full((40,), float(step)), "step": step}, checkpoint_id=room / "dcp", no_dist=True)
    return {name: (room / "dcp" / name).read_bytes() for name in ("__0_0.distcp", ".metadata")}


def make_weights(step: int) -> bytes:
    return save({"w": np.full(30, step, np.float32)})


def make_hf(room: Path, step: int) -> Save:
    return {
        "model.safetensors": make_weights(step),
        "optimizer.pt": make_torch(room, step),
        "scheduler.pt": make_torch(room, step),
        "rng_state.pth": make_torch(room, step),
        "trainer_state.json": json.dumps({"global_step": 7, "seen": step}).encode(),
    }


def make_accelerate(room: Path, step: int) -> Save:
    names = ("optimizer.bin", "scheduler.bin", "random_states_1.pkl", "random_states_0.pkl")
    return {"model.safetensors": make_weights(step), **{name: make_torch(room, step) for name in names}}


def make_deepspeed(room: Path, step: int) -> Save:
    model = make_torch(room, step, mp_world_size=1)
    optimizer = make_torch(room, step, optimizer_state_dict={"partition_count": [2]}, padding="x" * 600)
    return {
        "mp_rank_00_model_states.pt": model,
        "../latest": b"global_step7",
        **{f"zero_pp_rank_{rank}_mp_rank_00_optim_states.pt": optimizer for rank in range(2)},
    }


def make_megatron(room: Path, step: int) -> Save:
    return {
        "common.pt": make_torch(room, step),
        **make_dcp(room, step),
        "metadata.json": json.dumps({"sharded_backend": "torch_dist", "seen": step}).encode(),
    }


def make_torchtitan(room: Path, step: int) -> Save:
    return make_dcp(room, step)


def make_lightning(room: Path, step: int) -> Save:
    return {**make_dcp(room, step), "meta.pt": make_torch(room, step)}


def make_nemo(room: Path, step: int) -> Save:
    weights = {f"weights/{name}": data for name, data in make_megatron(room, step).items()}
    return {"context/model.yaml": b"layers: 2", **weights}


def make_verl(room: Path, step: int) -> Save:
    names = [f"actor/{kind}_world_size_2_rank_{rank}.pt" for kind in ("model", "optim") for rank in range(2)]
    return {name: make_torch(room, step) for name in names}


TRAINERS = {
    "checkpoint-7": make_hf,
    "checkpoint_7": make_accelerate,
    "global_step7": make_deepspeed,
    "iter_0000007": make_megatron,
    "step-7": make_torchtitan,
    "epoch=0-step=7.ckpt": make_lightning,
    "m-step=7-consumed_samples=1.0": make_nemo,
    "global_step_7": make_verl,
}
TRACKER_OF_6 = {"iter_0000007": "latest_checkpointed_iteration.txt"}


def write_save(folder: Path, whole: Save, n_files: int | None = None, n_bytes: int | None = None) -> None:
    """Write the first files of a save over what is there, the last of them cut, as a trainer does that dies."""
    paths = list(whole)[:n_files]
    for path in paths:
        data = whole[path][:n_bytes] if path == paths[-1] else whole[path]
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        tick = write_save.clock = getattr(write_save, "clock", 0) + 1  # type: ignore[attr-defined]
        os.utime(target, (0, 1_700_000_000 + tick))


def make_watcher(root: Path, known: set[str]) -> Watcher:
    return Watcher(
        root,
        choose_layouts("auto"),
        quiet_seconds=10.0,
        ignore=(),
        trust_kernel=True,
        find_handling=lambda sighting, step: "committed" if sighting.name in known else None,
    )


def find_stage(watcher: Watcher, name: str, at_seconds: float) -> Stage:
    watcher.look(at_seconds, {})
    look = watcher.look(at_seconds + 1000.0, {})
    return next((f.judgement.stage for f in look.findings if f.sighting.name == name), Stage.SEEN)


def write_neighbours(root: Path, name: str, room: Path) -> str:
    """Write the checkpoint before, and the tracker that names it."""
    before = name.replace("7", "6")
    make_save = TRAINERS[name]
    write_save(root / before, make_save(room, 6))
    if name in TRACKER_OF_6:
        (root / TRACKER_OF_6[name]).write_text("6")
    return before


@pytest.mark.parametrize("name", TRAINERS)
def test_a_save_that_broke_off_is_never_complete(tmp_path: Path, name: str) -> None:
    generator = random.Random(name)
    whole = TRAINERS[name](tmp_path, 7)
    for crash in range(N_CRASHES):
        root = tmp_path / f"crash-{crash}"
        before = write_neighbours(root, name, tmp_path)
        n_files = generator.randint(1, len(whole))
        last = whole[list(whole)[n_files - 1]]
        n_bytes = generator.randrange(len(last)) if n_files == len(whole) else None
        write_save(root / name, whole, n_files, n_bytes)
        stage = find_stage(make_watcher(root, {before}), name, 0.0)
        assert stage < Stage.MARKED, f"{n_files} files, the last cut to {n_bytes}"


@pytest.mark.parametrize("name", TRAINERS)
def test_a_mixture_of_two_saves_is_never_complete(tmp_path: Path, name: str) -> None:
    generator = random.Random(name)
    first, second = TRAINERS[name](tmp_path, 7), TRAINERS[name](tmp_path, 8)
    for crash in range(N_CRASHES):
        root = tmp_path / f"crash-{crash}"
        before = write_neighbours(root, name, tmp_path)
        write_save(root / name, first)
        if name in TRACKER_OF_6:
            (root / TRACKER_OF_6[name]).write_text("7")
        watcher = make_watcher(root, {before})
        assert find_stage(watcher, name, 0.0) == Stage.MARKED
        shards = [path for path in first if not path.startswith("../") and second[path] != first[path]]
        n_files = generator.randint(1, max(len(shards) - 1, 1))
        write_save(root / name, {path: second[path] for path in shards}, n_files)
        assert find_stage(watcher, name, 5000.0) < Stage.MARKED, f"{n_files} files of the second save"
        write_save(root / name, second)
        assert find_stage(watcher, name, 9000.0) == Stage.MARKED


def test_a_mixture_is_noticed_by_a_daemon_that_was_started_meanwhile(tmp_path: Path) -> None:
    name = "global_step_7"
    first, second = make_verl(tmp_path, 7), make_verl(tmp_path, 8)
    write_save(tmp_path / "out" / name, first)
    committed = look_at(tmp_path / "out", name, ())
    assert committed is not None
    write_save(tmp_path / "out" / name, second, 2)
    watcher = make_watcher(tmp_path / "out", set())
    watcher.look(0.0, {}, {name: committed})
    assert watcher.look(1000.0, {}, {name: committed}).complete == ()
    write_save(tmp_path / "out" / name, second)
    watcher.look(2000.0, {}, {name: committed})
    assert len(watcher.look(3000.0, {}, {name: committed}).complete) == 1


def test_a_shard_that_is_never_written_again_is_noticed_with_the_second_save(tmp_path: Path) -> None:
    root, watcher = tmp_path / "out", make_watcher(tmp_path / "out", set())
    adapter = {"adapter.safetensors": make_weights(1), "notes.txt": b"x"}
    write_save(root / "last", {"base.safetensors": make_weights(0), **adapter})
    assert find_stage(watcher, "last", 0.0) == Stage.MARKED
    for at_seconds, stage in ((5000.0, Stage.COUNTED), (9000.0, Stage.MARKED)):
        write_save(root / "last", adapter)
        assert find_stage(watcher, "last", at_seconds) == stage
