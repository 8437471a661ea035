"""A disk that fills up: DiskFull, nothing half-written, what was there before untouched."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shards.build import write_step
from weightzip.errors import DiskFull
from weightzip.files import compress_file, decompress_file

LIMIT_BYTES = 64 << 10


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a file system of 64 KiB."""
    mountpoint = tmp_path / "small"
    mountpoint.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={LIMIT_BYTES}", "tmpfs", str(mountpoint)]
    done = subprocess.run(command, capture_output=True, check=False) if os.geteuid() == 0 else None
    if done is None or done.returncode != 0:
        pytest.skip("a file system of its own needs root and the right to mount")
    try:
        yield mountpoint
    finally:
        subprocess.run(["umount", str(mountpoint)], check=True)


def test_a_full_file_system_is_named_and_cleaned(tmp_path: Path, small_disk: Path) -> None:
    source = write_step(tmp_path, 1)
    archive = tmp_path / "a.wzst"
    compress_file(source, archive)
    (small_disk / "before").write_bytes(b"precious")
    with pytest.raises(DiskFull, match="No space left"):
        compress_file(source, small_disk / "a.wzst")
    with pytest.raises(DiskFull, match="No space left"):
        decompress_file(archive, small_disk / "out")
    assert {path.name for path in small_disk.iterdir()} == {"before"}


CHILD = """
import resource, sys
from weightzip.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
main()
"""


@pytest.mark.parametrize("verb", ["compress", "decompress"])
def test_a_file_size_limit_is_named_and_cleaned(tmp_path: Path, verb: str) -> None:
    source, archive = write_step(tmp_path, 1), tmp_path / "a.wzst"
    compress_file(source, archive)
    given = source if verb == "compress" else archive
    target = tmp_path / "target"
    target.write_bytes(b"precious")
    names = {path.name for path in tmp_path.iterdir()}
    arguments = [str(LIMIT_BYTES), verb, str(given), str(target), "--force"]
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *arguments], capture_output=True, check=False, timeout=60
    )
    assert done.returncode == DiskFull.exit_code
    assert b"has been removed" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == names
    assert target.read_bytes() == b"precious"
