"""The demonstration's trainer really trains, writes files that others can read, and resumes to the bit."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

ROOT = Path(__file__).parents[2]


def _train(folder: Path, steps: int = 9) -> dict[int, float]:
    """Run the trainer on `folder/run` and return the loss of each step it took."""
    log = folder / "log.jsonl"
    command = [sys.executable, "-m", "demo.trainer", str(folder / "run"), "--log", str(log)]
    command += ["--steps", str(steps), "--save-every", "3", "--batch", "32", "--keep", "2"]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    records = [json.loads(line) for line in log.read_text().splitlines()]
    return {record["step"]: record["loss"] for record in records if record["event"] == "step"}


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, float]]:
    """Give the folder and the losses of a run that nobody interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    return folder, _train(folder)


def test_a_resumed_run_is_the_same_run(whole_run: tuple[Path, dict[int, float]], tmp_path: Path) -> None:
    folder, losses = whole_run
    shutil.copytree(folder / "run" / "checkpoint-6", tmp_path / "run" / "checkpoint-6")
    resumed = _train(tmp_path)
    assert resumed == {step: losses[step] for step in (7, 8, 9)}
    for path in (folder / "run" / "checkpoint-9").iterdir():
        assert (tmp_path / "run" / "checkpoint-9" / path.name).read_bytes() == path.read_bytes()


def test_it_keeps_the_newest_checkpoints_and_learns(whole_run: tuple[Path, dict[int, float]]) -> None:
    folder, losses = whole_run
    assert sorted(path.name for path in (folder / "run").iterdir()) == ["checkpoint-6", "checkpoint-9"]
    assert losses[9] < losses[1] - 0.5


def test_safetensors_reads_its_files(whole_run: tuple[Path, dict[int, float]]) -> None:
    folder, _ = whole_run
    newest = folder / "run" / "checkpoint-9"
    with safe_open(newest / "model.safetensors", "np") as model:
        dtypes = {model.get_slice(name).get_dtype() for name in model.keys()}  # noqa: SIM118
    with safe_open(newest / "optimizer.safetensors", "np") as optimizer:
        master = optimizer.get_tensor("fp32_param.head.weight")
    assert dtypes == {"BF16"}
    assert master.dtype == np.float32
    assert master.shape == (384, 256)
