"""Real checkpoints for the end-to-end tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN_B = ROOT.parent / "shared" / "data" / "run-b"


@pytest.fixture(scope="session")
def trained_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with four `checkpoint-N` of a short real training run."""
    folder = tmp_path_factory.mktemp("trained")
    command = [sys.executable, "-m", "demo.trainer", str(folder / "run"), "--log", str(folder / "log")]
    command += ["--steps", "20", "--save-every", "5", "--keep", "4", "--batch", "64"]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    return folder / "run"


@pytest.fixture(scope="session")
def run_b() -> Path:
    """Give the project's reference run: a 1.1 M-parameter GPT, steps 5000, 5900, 5999 and 6000."""
    if not RUN_B.is_dir():
        pytest.skip(f"the reference run is not at {RUN_B}")
    return RUN_B


@pytest.fixture(params=["trained_run", "run_b"])
def checkpoints(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Give a watched folder with a copy of each checkpoint of a run."""
    source: Path = request.getfixturevalue(request.param)
    target = tmp_path / "watched"
    target.mkdir()
    for path in sorted(source.iterdir()):
        step = path.name.rpartition("-")[2]
        shutil.copytree(path, target / f"checkpoint-{step}")
    return target
