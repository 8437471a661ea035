"""`python -m benchmarks.scan [N_TENSORS]`: how long it takes to find the tensors of optimizer files of many scalars.

The worst case of torch's files: a storage, an entry of the archive and a stretch of the pickle for 4 bytes each.
Needs torch.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.peak_memory import read_status
from benchmarks.tables import format_table
from weightzip.codec.containers import read_layout
from weightzip.codec.source import FileSource

N_TENSORS = 70_000
FORMS = {"torch zip": True, "torch legacy": False}


@dataclass(frozen=True)
class ScanRow:
    """One file, read once by a process of its own."""

    form: str
    file_bytes: int
    n_tensors: int
    seconds: float
    cpu_seconds: float
    own_peak_bytes: int
    child_peak_bytes: int
    """At most so much: the kernel counts what the parent held when it started the child."""


def main() -> None:
    """Print the table, or be the process that reads one file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scan", description=__doc__)
    parser.add_argument("n_tensors", type=int, nargs="?", default=N_TENSORS)
    parser.add_argument("--read", metavar="FILE", help="read this file and print what it took, as JSON")
    arguments = parser.parse_args()
    if arguments.read:
        print(json.dumps(asdict(_read("", Path(arguments.read)))))
        return
    with tempfile.TemporaryDirectory(prefix="weightzip-scan-") as work:
        print(format_rows(measure_scans(arguments.n_tensors, Path(work))))


def measure_scans(n_tensors: int, work: Path) -> Iterator[ScanRow]:
    """Yield what reading a file of n_tensors scalars takes, in each form. `work` is an empty folder."""
    for form, is_zip in FORMS.items():
        path = work / f"{form}.pt"
        _write_scalars(path, n_tensors, is_zip=is_zip)
        command = [sys.executable, "-m", "benchmarks.scan", "--read", str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        yield ScanRow(**{**json.loads(done.stdout), "form": form})


def format_rows(rows: Iterator[ScanRow]) -> str:
    """Return a table of one row a form."""
    head = ("form", "file", "tensors", "seconds", "seconds of CPU", "peak memory", "the child's, at most")
    return format_table(
        head,
        (
            (
                row.form,
                f"{row.file_bytes / 1e6:.1f} MB",
                f"{row.n_tensors:,}",
                f"{row.seconds:.2f}",
                f"{row.cpu_seconds:.2f}",
                f"{row.own_peak_bytes / 1e6:.0f} MB",
                f"{row.child_peak_bytes / 1e6:.0f} MB",
            )
            for row in rows
        ),
    )


def _write_scalars(path: Path, n_tensors: int, *, is_zip: bool) -> None:
    import torch

    state = {number: {"step": torch.tensor(float(number))} for number in range(n_tensors)}
    optimizer = {"state": state, "param_groups": [{"params": list(state)}]}
    torch.save(optimizer, path, _use_new_zipfile_serialization=is_zip)


def _read(form: str, path: Path) -> ScanRow:
    begin = time.perf_counter()
    with FileSource(path) as source:
        layout = read_layout(source)
    seconds = time.perf_counter() - begin
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_seconds = time.process_time() + child.ru_utime + child.ru_stime
    peaks = read_status("VmHWM"), child.ru_maxrss * 1024
    return ScanRow(form, layout.file_bytes, len(layout.tensors), seconds, cpu_seconds, *peaks)


if __name__ == "__main__":
    main()
