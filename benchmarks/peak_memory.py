"""Peak memory of one action, above what the process held before it: each in a child process of its own.

`python -m benchmarks.peak_memory ACTION ...` is such a child; `measure_peak_bytes` starts one.
"""

import subprocess
import sys
from pathlib import Path

from weightzip import compress_file, decompress_file


def measure_peak_bytes(action: str, source: Path, target: Path, base: Path | None, n_threads: int) -> int:
    """Return how far `compress` or `decompress` from `source` to `target` raised the resident memory of a child."""
    command = [sys.executable, "-m", "benchmarks.peak_memory", action, str(source), str(target)]
    command += [str(n_threads), *([str(base)] if base else [])]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _main() -> None:
    action, source, target, n_threads, *base = sys.argv[1:]
    before = _read_status("VmRSS")
    # Forget the peak so far. The kernel's ru_maxrss will not do: a child inherits its parent's.
    Path("/proc/self/clear_refs").write_text("5")
    predecessor = base[0] if base else None
    if action == "compress":
        compress_file(source, target, base=predecessor, n_threads=int(n_threads), force=True)
    else:
        decompress_file(source, target, base=predecessor, n_threads=int(n_threads), force=True)
    print(_read_status("VmHWM") - before)


def _read_status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise SystemExit(f"/proc/self/status has no {field}")


if __name__ == "__main__":
    _main()
