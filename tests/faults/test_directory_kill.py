"""kill -9 of a command that works on a directory: the same command goes on, and nothing of the first one is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


def _command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "weightzip", *map(str, arguments)]


def _kill_when_half_written(folder: Path, *arguments: object) -> None:
    """Start a command, and kill it as soon as there is a temporary file of it with something in it."""
    process = subprocess.Popen(_command(*arguments), stderr=subprocess.DEVNULL)
    while not any(path.stat().st_size for path in folder.rglob(".weightzip-*.tmp")):
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.005)
    process.kill()
    assert process.wait(timeout=30) == -signal.SIGKILL


def _run(*arguments: object) -> str:
    done = subprocess.run(_command(*arguments), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a directory with one file that takes a while."""
    folder = tmp_path / "source"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "large").write_bytes(os.urandom(1 << 20) * 200)
    (folder / "small").write_text("small")
    return folder


def test_the_same_command_goes_on(source: Path, tmp_path: Path) -> None:
    target, restored = tmp_path / "archives", tmp_path / "restored"
    target.mkdir()
    restored.mkdir()
    _kill_when_half_written(target, "compress", source, target)
    assert "warning" in _run("verify", target)  # what is half-written is no archive
    _run("compress", source, target)
    assert "warning" not in _run("verify", source, target)
    _kill_when_half_written(restored, "decompress", target, restored)
    _run("compress", restored, tmp_path / "not-all")
    assert not list((tmp_path / "not-all").rglob(".weightzip-*"))
    _run("decompress", target, restored)
    _run("verify", restored, target)
    assert not list(tmp_path.rglob(".weightzip-*"))
