"""A replaying trainer as a process that may be killed, and what the store must hold of its checkpoints afterwards."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.replaying_trainer import list_written
from weightzip.daemon.restore import restore_checkpoint
from weightzip.daemon.store import Repository, open_store

TESTS = Path(__file__).parents[1]
Contents = frozenset[tuple[str, str]]
"""Paths and digests of the files of a checkpoint."""


@contextmanager
def training(source: Path, target: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a trainer; it is killed at the end of the block."""
    command = [sys.executable, "-m", "support.replaying_trainer", str(source), str(target), *options]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(TESTS)})
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def read_contents(checkpoint: Path) -> Contents:
    return frozenset(
        (path.relative_to(checkpoint).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest())
        for path in checkpoint.rglob("*")
        if path.is_file()
    )


def check_committed(base: Path, source: Path) -> list[int]:
    """Restore every committed checkpoint, compare it with what the trainer saved, and return the steps."""
    whole = {path.name: read_contents(path) for path in list_written(source)}
    repository = Repository.open(open_store(str(base / "store")))
    keys = repository.list_checkpoints()
    for number, key in enumerate(keys):
        restored = restore_checkpoint(repository, key.step, base / "restored" / str(number)).path
        assert read_contents(restored) == whole[restored.name]
    return [key.step for key in keys]
