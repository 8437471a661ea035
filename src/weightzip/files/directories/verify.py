"""Proving directories of archives, writing nothing."""

from collections.abc import Callable, Sequence
from pathlib import Path

from weightzip.codec.reader import Archive
from weightzip.files.directories.archives import ArchiveDirectory
from weightzip.files.directories.tree import pair_archives, pair_files
from weightzip.files.opening import Base, PathLike, open_beside
from weightzip.files.reports import Progress, ShowProgress, VerifyReport, ignore_report, show_nothing
from weightzip.files.verify import compare_archive, prove_archive


def verify_directory(
    original: PathLike,
    archives: PathLike,
    *,
    base: PathLike | None = None,
    beside: Sequence[Base] = (),
    n_threads: int = 0,
    show_progress: ShowProgress = show_nothing,
    on_report: Callable[[VerifyReport], object] = ignore_report,
) -> list[VerifyReport]:
    """Prove that a directory of archives restores to exactly the original directory, and return the reports.

    `base` and `beside` as in decompress_directory; `on_report` is called after each archive.

    Raises:
        NotFound: an archive or an original is missing.
        ContentDiffers: a file, a folder or a link differs.
        SourceChanged: an original changed while it was read.
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
    """
    base = None if base is None else Path(base)
    with open_beside(beside, n_threads) as given:
        pairs = {pair.target: pair for pair in pair_archives(Path(original), Path(archives), base)}
        predecessors = {path: pair.base for path, pair in pairs.items()}
        directory = ArchiveDirectory(predecessors, base, given, n_threads)

        def compare(opened: Archive, archive: Path, progress: Progress | None) -> VerifyReport:
            source = pairs[archive].source
            report = compare_archive(opened, archive, source, n_threads, progress)
            directory.add_file(source, report.file_digest)
            return report

        return directory.visit_archives(compare, show_progress=show_progress, on_report=on_report)


def check_directory(
    archives: PathLike,
    *,
    base: PathLike | None = None,
    beside: Sequence[Base] = (),
    n_threads: int = 0,
    show_progress: ShowProgress = show_nothing,
    on_report: Callable[[VerifyReport], object] = ignore_report,
) -> list[VerifyReport]:
    """Prove that each archive of a directory restores to its recorded digest, and return the reports.

    `base` and `beside` as in decompress_directory; `on_report` is called after each archive.

    Raises:
        UsageError: the directory holds a file that is no archive by its name.
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
    """
    root = Path(archives)
    base = None if base is None else Path(base)
    with open_beside(beside, n_threads) as given:
        pairs = pair_files(root, root, base, compressing=False)
        directory = ArchiveDirectory({pair.source: pair.base for pair in pairs}, base, given, n_threads)

        def prove(opened: Archive, archive: Path, progress: Progress | None) -> VerifyReport:
            return prove_archive(opened, archive, n_threads, progress)

        return directory.visit_archives(prove, show_progress=show_progress, on_report=on_report)
