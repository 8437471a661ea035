"""Restoring a directory of archives."""

from collections.abc import Callable, Sequence
from pathlib import Path

from weightzip.codec.reader import Archive
from weightzip.files.decompress import restore_archive
from weightzip.files.directories.archives import ArchiveDirectory
from weightzip.files.directories.tree import pair_files, prepare_directory
from weightzip.files.opening import Base, PathLike, open_beside
from weightzip.files.reports import DecompressReport, Progress, ShowProgress, ignore_report, show_nothing


def decompress_directory(
    archives: PathLike,
    target: PathLike,
    *,
    base: PathLike | None = None,
    beside: Sequence[Base] = (),
    n_threads: int = 0,
    force: bool = False,
    show_progress: ShowProgress = show_nothing,
    on_report: Callable[[DecompressReport], object] = ignore_report,
) -> list[DecompressReport]:
    """Restore every file of a directory of archives, and return their reports in the order of work.

    What archives of the directory lean on is found among the others, and restored first. `base` is the directory of
    predecessors, `beside` are files that any archive may lean on. Folders, links, modes and times are kept.
    `on_report` is called after each file: those are whole, whatever becomes of later ones.

    Raises:
        TargetExists: the target holds something and force is False.
        UsageError: the target lies within the directory, or the directory holds a file that is no archive by its name.
        MissingPredecessor, WrongPredecessor, CorruptData, DiskFull: as in decompress_file.
    """
    archives, target = Path(archives), Path(target)
    base = None if base is None else Path(base)
    with prepare_directory(archives, target, force=force), open_beside(beside, n_threads) as given:
        pairs = {pair.source: pair for pair in pair_files(archives, target, base, compressing=False)}
        predecessors = {path: pair.base for path, pair in pairs.items()}
        directory = ArchiveDirectory(predecessors, base, given, n_threads)

        def restore(opened: Archive, archive: Path, progress: Progress | None) -> DecompressReport:
            restored = pairs[archive].target
            report = restore_archive(
                opened, archive, restored, n_threads=n_threads, force=force, progress=progress
            )
            directory.add_file(restored, report.file_digest)
            return report

        return directory.visit_archives(restore, show_progress=show_progress, on_report=on_report)
