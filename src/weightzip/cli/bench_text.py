"""A bench report in words and rows of text, for the terminal and for the page. Pure: prints and measures nothing."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from weightzip.cli.output import format_bytes, format_count, format_ratio
from weightzip.files.bench import BenchReport, FileResult, Timing

FILE_COLUMNS = (
    "path", "against", "raw bytes", "stored bytes", "ratio", "bytes saved", "encode GB/s", "decode GB/s", "identical"
)  # fmt: skip
KIND_COLUMNS = ("kind", "dtype", "tensors", "raw bytes", "stored bytes", "ratio", "bytes saved")

# Less is the file's header, or a page or two that the system had given up.
_MOST_DISK_SHARE = 0.05


def find_root(report: BenchReport) -> Path | None:
    """Return the folder that all paths lie in, None if some of them are relative, hence short already."""
    paths = [path for file in report.files for path in (file.source, file.base) if path is not None]
    if not all(path.is_absolute() for path in paths):
        return None
    return Path(os.path.commonpath([path.parent for path in paths]))


def list_file_rows(report: BenchReport) -> Sequence[Sequence[str]]:
    """Return a row a file, and one for all if there are several. Absolute paths are shown from find_root on."""
    root = find_root(report)
    rows = [
        (_show_path(file.source, root), describe_base(file, root), *_size_and_speed(file))
        for file in report.files
    ]
    if len(rows) > 1:
        rows.append(("all", "", *_size_and_speed(report)))
    return rows


def list_kind_rows(report: BenchReport) -> Sequence[Sequence[str]]:
    """Return a row a kind, largest first."""
    return [
        (
            *result.kind,
            str(result.n_tensors) if result.n_tensors else "-",
            *_sizes(result.raw_bytes, result.stored_bytes),
        )
        for result in report.kinds
    ]


def list_facts(report: BenchReport) -> Iterator[str]:
    """Yield what a reader must know beside the tables, a line each."""
    machine, root = report.machine, find_root(report)
    if root is not None:
        yield f"paths are those in {root}"
    ratio = format_ratio(report.stored_bytes, report.raw_bytes)
    yield f"all: {format_bytes(report.raw_bytes)} -> {format_bytes(report.stored_bytes)} ({ratio})"
    yield f"identical: yes, {describe_identity(report)}"
    yield (
        f"speed: encode {format_speed(report.encode)}, decode {format_speed(report.decode)}, "
        f"on {format_count(report.n_threads, 'thread')}; from the system's cache to memory, digests and checksums included"
    )
    yield from describe_disk(report)
    yield (
        f"peak memory: {format_bytes(report.peak_memory_bytes)} of the whole process, "
        f"{format_bytes(report.memory_before_bytes)} before the first file"
    )
    yield (
        f"measured with weightzip {machine.weightzip} at level {report.level.value} on {machine.processor}, "
        f"{format_count(machine.n_cores, 'core')}, {report.measured_at:%Y-%m-%d %H:%M} UTC"
    )


def describe_identity(report: BenchReport) -> str:
    """Return what the comparison has shown: there is no report of a file that did not come back."""
    n_files = len(report.files)
    what = "the file was" if n_files == 1 else f"all {n_files} files were"
    return f"{what} restored from the archive and compared: same BLAKE3 digest, same bytes"


def describe_disk(report: BenchReport) -> Iterator[str]:
    """Yield a warning if files came from a disk while they were timed: then the figures are partly the disk's."""
    for action, timing in (("encoding", report.encode), ("decoding", report.decode)):
        if timing.disk_bytes is None:
            yield f"whether {action} waited for a disk is unknown: the system does not tell"
        elif timing.disk_bytes > _MOST_DISK_SHARE * timing.raw_bytes:
            yield (
                f"{action} read {format_bytes(timing.disk_bytes)} from a disk, for want of memory to hold the files: "
                "its speed is partly that of the disk"
            )


def describe_base(file: FileResult, root: Path | None) -> str:
    """Return what a file was compressed against: its predecessor, and files beside it by name."""
    base = "" if file.base is None else _show_path(file.base, root)
    used = [base] if file.leans else []
    used += [path.name for path in file.beside]
    described = ", ".join(used) or "alone"
    return described if file.base is None or file.leans else f"{described} (no use of {base})"


def format_speed(timing: Timing) -> str:
    """Return a speed with its unit, a dash for nothing."""
    return "-" if timing.gb_per_second is None else f"{format_gb(timing)} GB/s"


def _show_path(path: Path, root: Path | None) -> str:
    return str(path if root is None else path.relative_to(root))


def _size_and_speed(result: FileResult | BenchReport) -> Sequence[str]:
    speeds = (format_gb(result.encode), format_gb(result.decode))
    return (*_sizes(result.raw_bytes, result.stored_bytes), *speeds, "yes")


def _sizes(raw_bytes: int, stored_bytes: int) -> Sequence[str]:
    ratio = format_ratio(stored_bytes, raw_bytes)
    return str(raw_bytes), str(stored_bytes), ratio, str(raw_bytes - stored_bytes)


def format_gb(timing: Timing) -> str:
    """Return a speed in GB/s, a dash for nothing."""
    speed = timing.gb_per_second
    if speed is None:
        return "-"
    return f"{speed:.2f}" if speed >= 0.01 else "<0.01"
