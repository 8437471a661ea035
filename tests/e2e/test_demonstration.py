"""The demonstration of `make run`, shortened: it must tell its story and end well."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_everything_comes_back_identical(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "demo", "--folder", str(tmp_path / "demo")]
    command += ["--steps", "75", "--save-every", "15", "--kill-at", "37"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "trained twice: losses are the same to the last bit" in done.stdout
    rows = re.findall(r"^ +(\d+) .* (yes|NO) *$", done.stdout, re.MULTILINE)
    assert len(rows) >= 2  # a busy machine may let go of some
    assert rows[-1] == ("75", "yes")
    assert {identical for _, identical in rows} == {"yes"}


def test_it_empties_no_folder_of_others(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    command = [sys.executable, "-m", "demo", "--folder", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "not ours" in done.stderr
    assert (tmp_path / "precious").read_text() == "mine"
