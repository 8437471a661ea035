"""What the real writers wrote, once for all tests of this folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a folder a format, each with three checkpoints of a few steps of training."""
    folder = tmp_path_factory.mktemp("written") / "formats"
    done = subprocess.run(
        [sys.executable, "-m", "writers", folder],
        check=False,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder
