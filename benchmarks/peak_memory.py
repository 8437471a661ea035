"""Peak memory of one action, above what the process held before it: each in a child process of its own.

`python -m benchmarks.peak_memory ACTION ...` is such a child; `measure_peak_bytes` starts one.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases.synthetic import write_synthetic_shard
from weightzip import compress_file, decompress_file


@dataclass(frozen=True)
class MemoryRow:
    """Peak memory of one action on one file, above the process before it."""

    action: str
    file: str
    n_bytes: int
    n_threads: int
    peak_bytes: int


def measure_memory(n_bytes: int, folder: Path) -> Iterator[MemoryRow]:
    """Yield the peaks for synthetic files of that size, alone and with a predecessor, on all cores.

    `folder` should be on a disk: a memory file system would count towards nobody, but needs the memory all the same.
    """
    with tempfile.TemporaryDirectory(dir=folder, prefix="memory-") as name:
        source, base, archive, restored = (
            Path(name, part) for part in ("source", "base", "archive", "restored")
        )
        write_synthetic_shard(source, n_bytes, seed=1)
        write_synthetic_shard(base, n_bytes, seed=1, drift=1e-4)
        for label, predecessor in (("alone", None), ("with predecessor", base)):
            for action, origin, target in (("compress", source, archive), ("decompress", archive, restored)):
                peak_bytes = measure_peak_bytes(action, origin, target, predecessor, n_threads=0)
                size_bytes = source.stat().st_size
                yield MemoryRow(
                    action, f"synthetic bf16, {label}", size_bytes, os.cpu_count() or 1, peak_bytes
                )


def measure_peak_bytes(action: str, source: Path, target: Path, base: Path | None, n_threads: int) -> int:
    """Return how far `compress` or `decompress` from `source` to `target` raised the resident memory of a child."""
    command = [sys.executable, "-m", "benchmarks.peak_memory", action, str(source), str(target)]
    command += [str(n_threads), *([str(base)] if base else [])]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _main() -> None:
    action, source, target, n_threads, *base = sys.argv[1:]
    before = read_status("VmRSS")
    # Forget the peak so far. The kernel's ru_maxrss will not do: a child inherits its parent's.
    Path("/proc/self/clear_refs").write_text("5")
    predecessor = base[0] if base else None
    if action == "compress":
        compress_file(source, target, base=predecessor, n_threads=int(n_threads), force=True)
    else:
        decompress_file(source, target, base=predecessor, n_threads=int(n_threads), force=True)
    print(read_status("VmHWM") - before)


def read_status(field: str) -> int:
    """Return a size that the kernel tells of this process, such as VmHWM, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise SystemExit(f"/proc/self/status has no {field}")


if __name__ == "__main__":
    _main()
