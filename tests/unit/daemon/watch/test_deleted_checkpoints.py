"""Rotation deletes a checkpoint file by file, in any order: what is left of it meanwhile is no checkpoint."""

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from weightzip.daemon.layouts import choose_layouts
from weightzip.daemon.watch.candidate import Stage
from weightzip.daemon.watch.watcher import Watcher

N_ORDERS = 20
BEFORE = {
    "checkpoint-#": Counter(["model.safetensors", "optimizer.pt", "trainer_state.json", "config.json"]),
}


def save_hf(root: Path, step: int, *, optimizer: bool = True) -> Path:
    folder = root / f"checkpoint-{step}"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    save_file({"w": np.full(9, step, np.float32)}, folder / "model.safetensors")
    if optimizer:
        torch.save({"m": torch.full((9,), float(step))}, folder / "optimizer.pt")
    (folder / "trainer_state.json").write_text(json.dumps({"global_step": step}))
    return folder


def find_stages(root: Path, before: dict[str, Counter[str]]) -> dict[str, Stage]:
    watcher = Watcher(
        root,
        choose_layouts("auto"),
        quiet_seconds=10.0,
        ignore=(),
        trust_kernel=True,
        find_handling=lambda sighting, step: None,
    )
    watcher.look(0.0, before)
    return {f.sighting.name: f.judgement.stage for f in watcher.look(1000.0, before).findings}


@pytest.mark.parametrize("before", [{}, BEFORE], ids=["first", "after others"])
def test_what_rotation_left_is_no_checkpoint(tmp_path: Path, before: dict[str, Counter[str]]) -> None:
    dice = random.Random(1)
    for number in range(N_ORDERS):
        root = tmp_path / f"run-{number}"
        root.mkdir()
        victim = save_hf(root, 100)
        save_hf(root, 200)
        assert find_stages(root, before)["checkpoint-100"] == Stage.MARKED
        files = sorted(victim.iterdir())
        dice.shuffle(files)
        # The configuration alone could be gone unnoticed: it says nothing that its neighbours do not say.
        if files[0].name == "config.json":
            files.reverse()
        for path in files:
            path.unlink()
            stages = find_stages(root, before)
            assert stages["checkpoint-100"] < Stage.MARKED, f"{path.name} was deleted"
            assert stages["checkpoint-200"] == Stage.MARKED


def test_the_last_checkpoint_of_a_run_may_lack_the_optimizer(tmp_path: Path) -> None:
    save_hf(tmp_path, 100)
    save_hf(tmp_path, 200, optimizer=False)
    assert set(find_stages(tmp_path, BEFORE).values()) == {Stage.MARKED}


def test_a_run_may_begin_to_save_the_optimizer(tmp_path: Path) -> None:
    save_hf(tmp_path, 100, optimizer=False)
    save_hf(tmp_path, 200)
    before = {"checkpoint-#": Counter(["model.safetensors", "trainer_state.json", "config.json"])}
    assert set(find_stages(tmp_path, before).values()) == {Stage.MARKED}
