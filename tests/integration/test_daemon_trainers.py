"""Trainers beside a daemon: trackers, rotation, saves into the same place, links; and nothing of theirs is disturbed."""

import os
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save
from torch.distributed.checkpoint.state_dict_saver import save as save_dcp

from support.checkpoints import describe_tree
from support.running import running, wait_until
from support.settings import make_settings
from weightzip.daemon.components import Components
from weightzip.daemon.jobs import encode
from weightzip.daemon.restore import restore_checkpoint
from weightzip.daemon.store import Manifest, Repository, open_store
from weightzip.files import compress_file

TRACKER = "latest_checkpointed_iteration.txt"


def save_megatron(root: Path, step: int, value: float | None = None, tracked: bool = True) -> Path:
    """Save a step as Megatron-Core does: shards, `.metadata`, `metadata.json`, then the tracker."""
    folder = root / f"iter_{step:07d}"
    tensors = {"w": torch.full((2000,), step if value is None else value)}
    save_dcp(tensors, checkpoint_id=folder, no_dist=True)
    (folder / "metadata.json").write_text('{"sharded_backend": "torch_dist"}')
    if tracked:
        (root / TRACKER).write_text(str(step))
    return folder


def wait_committed(parts: Components, step: int, count: int = 1) -> None:
    wait_until(
        lambda: [key.step for key in parts.ledger.checkpoints()].count(step) >= count and parts.is_settled()
    )


def open_repository(base: Path) -> Repository:
    return Repository.open(open_store(str(base / "store")))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "ckpt").mkdir()
    return tmp_path / "ckpt"


def test_a_tracker_comes_back_after_rotation_and_names_what_was_restored(tmp_path: Path, root: Path) -> None:
    with running(make_settings(tmp_path)) as parts:
        for step in (100, 200):
            folder = save_megatron(root, step)
            wait_committed(parts, step)
            expected = describe_tree(folder)
            if step == 100:
                shutil.rmtree(folder)
    for step in (200, 100):
        target = tmp_path / f"restored-{step}"
        report = restore_checkpoint(open_repository(tmp_path), step, target)
        assert (target / TRACKER).read_text() == str(step)
        assert sorted(path.name for path in target.iterdir()) == [f"iter_{step:07d}", TRACKER]
        if step == 200:
            assert describe_tree(report.path) == expected


def test_an_asynchronous_save_is_stored_when_its_tracker_says_so(tmp_path: Path, root: Path) -> None:
    with running(make_settings(tmp_path)) as parts:
        (root / TRACKER).write_text("90")
        save_megatron(root, 100, tracked=False)
        wait_until(lambda: "says '90'" in find_reason(parts, 100))
        assert parts.ledger.checkpoints() == ()
        (root / TRACKER).write_text("100")
        wait_committed(parts, 100)


def find_reason(parts: Components, step: int) -> str:
    return next((f.judgement.reason or "" for f in parts.intake.look.findings if f.step == step), "")


def test_a_step_that_is_saved_again_into_the_same_files_is_stored_again(tmp_path: Path, root: Path) -> None:
    """A run that was set back comes by the same steps; DCP writes into the very inodes."""
    with running(make_settings(tmp_path)) as parts:
        shard = save_megatron(root, 100, 1.0) / "__0_0.distcp"
        inode = shard.stat().st_ino
        wait_committed(parts, 100)
        saved_at = int(shard.stat().st_mtime)
        wait_until(lambda: time.time() >= saved_at + 1)  # the store orders saves of one step by their seconds
        save_megatron(root, 100, 2.0)
        assert shard.stat().st_ino == inode
        wait_committed(parts, 100, count=2)
        expected = describe_tree(root / "iter_0000100")
    repository = open_repository(tmp_path)
    assert describe_tree(restore_checkpoint(repository, "latest", tmp_path / "target").path) == expected


def test_links_are_trackers_and_twins_stay_twins(tmp_path: Path, root: Path) -> None:
    data = save({"w": np.arange(3000, dtype=np.float32)})
    with running(make_settings(tmp_path)) as parts:
        folder = root / "epoch=0-step=5.ckpt"
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(data)
        os.link(folder / "model.safetensors", folder / "twin.safetensors")
        (folder / "best").symlink_to("model.safetensors")
        (root / "last.ckpt").symlink_to(folder.name)
        wait_committed(parts, 5)
        manifest: Manifest | None = parts.ledger.last()
        assert [finding.sighting.name for finding in parts.intake.look.findings] == [folder.name]
    assert manifest is not None
    restored = restore_checkpoint(open_repository(tmp_path), "latest", tmp_path / "target").path
    assert describe_tree(restored) == describe_tree(folder)
    assert (restored / "model.safetensors").samefile(restored / "twin.safetensors")
    assert str((tmp_path / "target" / "last.ckpt").readlink()) == folder.name


def test_the_trainers_directory_is_as_if_nobody_watched(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rotation goes by the times of directories, and a file that is held open keeps a directory from being deleted."""
    held: set[str] = set()

    def watch(*arguments: Any, **options: Any) -> Any:
        held.update(list_held(root))
        report = compress_file(*arguments, **options)
        held.update(list_held(root))
        return report

    monkeypatch.setattr(encode, "compress_file", watch)
    with running(make_settings(tmp_path)) as parts:
        for step in (100, 200, 300):
            save_megatron(root, step)
            before = list_times(root)
            wait_committed(parts, step)
            assert list_times(root) == before
        shutil.rmtree(root / "iter_0000100")  # no error is ignored: nothing of ours may be in it
        wait_until(parts.is_settled)
    assert held == set()
    assert list_held(root) == set()
    assert sorted(path.name for path in root.iterdir()) == ["iter_0000200", "iter_0000300", TRACKER]


def list_times(root: Path) -> dict[str, int]:
    """Return the times of a directory and of everything in it."""
    return {str(path): path.lstat().st_mtime_ns for path in (root, *root.rglob("*"))}


def list_held(root: Path) -> set[str]:
    """Return the checkpoints' files that this process has open by their own names; trackers are read now and then."""
    found = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            path = str(descriptor.readlink())
        except FileNotFoundError:  # the one that lists them
            continue
        if path.startswith(f"{root}/iter_"):
            found.add(path)
    return found
