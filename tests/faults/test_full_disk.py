"""A disk that fills up: DiskFull, nothing half-written, what was there before untouched."""

import subprocess
import sys
from pathlib import Path

import pytest

from shards.build import write_step
from support.mounts import small_disk
from weightzip.errors import DiskFull
from weightzip.files import compress_file, decompress_file

LIMIT_BYTES = 64 << 10


def test_a_full_file_system_is_named_and_cleaned(tmp_path: Path) -> None:
    source = write_step(tmp_path, 1)
    archive = tmp_path / "a.wzst"
    compress_file(source, archive)
    with small_disk(tmp_path / "small", str(LIMIT_BYTES)) as disk:
        (disk / "before").write_bytes(b"precious")
        with pytest.raises(DiskFull, match="No space left"):
            compress_file(source, disk / "a.wzst")
        with pytest.raises(DiskFull, match="No space left"):
            decompress_file(archive, disk / "out")
        assert {path.name for path in disk.iterdir()} == {"before"}


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
