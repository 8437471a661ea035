"""Compressing the directory of a checkpoint: its files may lean on each other."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Literal

from weightzip.codec.recipes.level import Level
from weightzip.files.beside import BesideFiles, rank_file
from weightzip.files.compress import compress_file
from weightzip.files.directories.bases import BaseDirectory
from weightzip.files.directories.tree import FilePair, pair_files, prepare_directory
from weightzip.files.opening import PathLike
from weightzip.files.publish import check_apart
from weightzip.files.reports import CompressReport, ShowProgress, ignore_report, show_nothing


def compress_directory(
    source: PathLike,
    target: PathLike,
    *,
    base: PathLike | None = None,
    level: Level | Literal["fast", "default", "max"] = Level.DEFAULT,
    n_threads: int = 0,
    verify: bool = True,
    force: bool = False,
    show_progress: ShowProgress = show_nothing,
    on_report: Callable[[CompressReport], object] = ignore_report,
) -> list[CompressReport]:
    """Compress every file of a directory into a directory of archives, and return their reports in the order of work.

    The largest file comes first, and later ones may lean on it: the archives belong together, as the files do.
    `base` is a directory of predecessors, raw files or archives, paired by relative path; tensors that moved from one of
    its files to another are found by name. Folders, links, modes and times are kept. `on_report` is called after each file: those are whole, whatever becomes of later ones.

    Raises:
        TargetExists: the target holds something and force is False.
        UsageError: the target lies within the source or is the base, or the source holds something that is no file,
            directory or link.
        SourceChanged, VerificationFailed, DiskFull: as in compress_file.
    """
    source, target = Path(source), Path(target)
    base = None if base is None else Path(base)
    reports = []
    with prepare_directory(source, target, force=force), BesideFiles(n_threads) as beside:
        pairs = sorted(pair_files(source, target, base, compressing=True), key=_rank_pair)
        for pair in pairs:
            if pair.base is not None:
                check_apart(pair.target, pair.base, "base", "target")
        bases = BaseDirectory(base, n_threads)
        for pair in pairs:
            with (
                bases.open_file(pair.base) as predecessor,
                ExitStack() as opened,
                show_progress(pair.source.name) as progress,
            ):
                report = compress_file(
                    pair.source,
                    pair.target,
                    base=predecessor,
                    beside=beside.files,
                    find_moved=partial(bases.open_moved, pair, opened),
                    level=level,
                    n_threads=n_threads,
                    verify=verify,
                    force=force,
                    progress=progress,
                )
            beside.offer(pair.source, report.file_digest, leans=bool(report.beside_digests))
            reports.append(report)
            on_report(report)
    return reports


def _rank_pair(pair: FilePair) -> tuple[int, str]:
    return rank_file(pair.source.stat().st_size, pair.source)
