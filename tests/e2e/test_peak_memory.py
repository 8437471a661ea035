"""Memory stays bounded whatever the size of the file: measured in a child process, above what it held before."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILE_BYTES = 800_000_000
MOST_BYTES = 300_000_000

_WRITE = """
import sys
from pathlib import Path
from benchmarks.cases.synthetic import write_synthetic_shard
write_synthetic_shard(Path(sys.argv[1]), int(sys.argv[2]), seed=1)
"""


def _measure_peak_bytes(action: str, source: Path, target: Path) -> int:
    command = [sys.executable, "-m", "benchmarks.peak_memory", action, str(source), str(target), "0"]
    return int(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


@pytest.mark.slow
def test_a_file_larger_than_the_bound_needs_less_than_the_bound(tmp_path: Path) -> None:
    original = tmp_path / "original.safetensors"
    subprocess.run([sys.executable, "-c", _WRITE, str(original), str(FILE_BYTES)], cwd=ROOT, check=True)
    assert _measure_peak_bytes("compress", original, tmp_path / "archive") < MOST_BYTES
    original.unlink()
    assert _measure_peak_bytes("decompress", tmp_path / "archive", tmp_path / "restored") < MOST_BYTES
    assert (tmp_path / "restored").stat().st_size >= FILE_BYTES
