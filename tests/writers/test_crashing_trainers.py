"""Trainers that write slowly, die by kill -9, start again over what they left, and rotate, while the daemon watches.

What is committed is always what the trainer saved, whole: never a beginning, a mixture, or what rotation left.
"""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.daemon_process import DaemonProcess
from support.mounts import bound_by_fuse
from support.training_process import check_committed, training

N_KILLS = 4
# Two or three seconds a checkpoint. Pauses are shorter than the daemon's quiet period, what a kill leaves lasts longer.
PAUSE_SECONDS = 0.05
LEFT_SECONDS = 1.8


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[DaemonProcess]:
    process = DaemonProcess(tmp_path, tmp_path / "ckpt", str(tmp_path / "store"))
    yield process
    process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hf-trainer", "torchtitan", "deepspeed-zero2"])
def test_a_trainer_that_dies_leaves_nothing_that_is_committed(
    name: str, written: Path, tmp_path: Path, daemon: DaemonProcess
) -> None:
    dice = random.Random(name)
    source, target = written / name, tmp_path / "ckpt"
    daemon.start_and_wait()
    for _ in range(N_KILLS):
        with training(source, target, "--pause", str(PAUSE_SECONDS)):
            time.sleep(dice.uniform(0.3, 2.5))
        time.sleep(LEFT_SECONDS)
    with training(source, target) as trainer:
        assert trainer.wait() == 0
    steps = [9, 10, 12]
    daemon.wait_committed(*steps)
    assert daemon.terminate() == 0
    assert set(check_committed(tmp_path, source)) == set(steps)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["local", "fuse"])
def test_slow_saves_and_slow_rotation(
    place: str, written: Path, tmp_path: Path, daemon: DaemonProcess
) -> None:
    """Through FUSE the daemon hears nothing of what the trainer writes on the other side, and cannot link files."""
    source, target = written / "hf-trainer", tmp_path / "ckpt"
    if place == "local":
        check_rotated_run(daemon, source, target)
    else:
        (tmp_path / "other side").mkdir()
        with bound_by_fuse(tmp_path / "other side", target):
            check_rotated_run(daemon, source, tmp_path / "other side")
    # On a busy machine rotation may be faster than polling; what is committed is whole, and the newest is there.
    assert 12 in check_committed(tmp_path, source)


def check_rotated_run(daemon: DaemonProcess, source: Path, target: Path) -> None:
    daemon.start_and_wait()
    options = ("--pause", str(PAUSE_SECONDS), "--rest", "2.5", "--keep", "1")
    with training(source, target, *options) as trainer:
        daemon.wait_committed(12)
        assert trainer.wait() == 0
    assert daemon.terminate() == 0
