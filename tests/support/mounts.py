"""File systems that a test mounts for itself: small disks that fill up, directories bound elsewhere."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(target: Path, *arguments: str | Path) -> Iterator[Path]:
    """Mount on `target` for the length of the block; skips the test, saying why, where that is not allowed."""
    target.mkdir(exist_ok=True)
    done = subprocess.run(["mount", *arguments, target], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"this machine does not let us mount: {done.stderr.strip()}")
    try:
        yield target
    finally:
        # Lazily: a daemon under test may still have a file open there.
        subprocess.run(["umount", "-l", target], check=True)


@contextmanager
def small_disk(target: Path, size: str) -> Iterator[Path]:
    """Give a file system in memory of `size` (as mount spells it) on `target`."""
    with mounted(target, "-t", "tmpfs", "-o", f"size={size}", "tmpfs") as path:
        yield path


@contextmanager
def bound_by_fuse(source: Path, target: Path) -> Iterator[Path]:
    """Show a directory at another place through FUSE, as network file systems do: without events of other writers.

    Skips the test, saying why, where bindfs is not installed or FUSE is not to be had.
    """
    if shutil.which("bindfs") is None:
        pytest.skip("no bindfs: apt-get install bindfs")
    target.mkdir(exist_ok=True)
    command = ["bindfs", "-o", "attr_timeout=0,entry_timeout=0", str(source), str(target)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"this machine does not let us mount through FUSE: {done.stderr.strip()}")
    try:
        yield target
    finally:
        subprocess.run(["umount", "-l", target], check=True)
