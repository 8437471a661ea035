"""Proving directories of archives, writing nothing."""

from collections.abc import Callable, Sequence
from pathlib import Path

from weightzip.codec.reader import Archive
from weightzip.files.directories.archives import ArchiveDirectory
from weightzip.files.directories.bases import BaseDirectory
from weightzip.files.directories.completeness import find_missing
from weightzip.files.directories.links import follow_as_archived
from weightzip.files.directories.tree import pair_archives, pair_files, read_tree
from weightzip.files.opening import Base, PathLike, list_roots, open_beside
from weightzip.files.reports import Progress, ShowProgress, VerifyReport, ignore_report, show_nothing
from weightzip.files.verify import compare_archive, prove_archive


def verify_directory(
    original: PathLike,
    archives: PathLike,
    *,
    base: PathLike | Sequence[PathLike] | None = None,
    beside: Sequence[Base] = (),
    n_threads: int = 0,
    show_progress: ShowProgress = show_nothing,
    on_report: Callable[[VerifyReport], object] = ignore_report,
) -> list[VerifyReport]:
    """Prove that a directory of archives restores to exactly the original directory, and return the reports.

    `base` and `beside` as in decompress_directory; `on_report` is called after each archive. All archives are looked
    at, whatever is wrong with some; the error at the end names all that failed.

    Raises:
        NotFound: an archive or an original is missing.
        ContentDiffers: a file, a folder or a link differs.
        SourceChanged: an original changed while it was read.
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
    """
    roots = list_roots(base)
    tree = read_tree(Path(archives))
    originals = follow_as_archived(read_tree(Path(original)), tree)
    found, problems = pair_archives(originals, tree, roots[0] if roots else None)
    pairs = {pair.target: pair for pair in found}
    with open_beside(beside, n_threads) as given:
        predecessors = {path: pair.base for path, pair in pairs.items()}
        bases = BaseDirectory(roots, n_threads)
        directory = ArchiveDirectory(tree.root, predecessors, bases, given, n_threads)
        directory.failures.extend(problems)

        def compare(opened: Archive, archive: Path, progress: Progress | None) -> VerifyReport:
            source = pairs[archive].source
            report = compare_archive(opened, archive, source, n_threads, progress)
            directory.add_file(source, report.file_digest)
            return report

        reports = directory.visit_archives(compare, show_progress=show_progress, on_report=on_report)
    directory.failures.raise_all()
    return reports


def check_directory(
    archives: PathLike,
    *,
    base: PathLike | Sequence[PathLike] | None = None,
    beside: Sequence[Base] = (),
    n_threads: int = 0,
    show_progress: ShowProgress = show_nothing,
    on_report: Callable[[VerifyReport], object] = ignore_report,
) -> list[VerifyReport]:
    """Prove that each archive of a directory restores to its recorded digest, and return the reports.

    `base` and `beside` as in decompress_directory; `on_report` is called after each archive. All archives are looked
    at, whatever is wrong with some; the error at the end names all that failed, and what the manifest lists in vain.
    Warns of a directory without manifest.

    Raises:
        UsageError: the directory holds a file that is no archive by its name.
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
    """
    tree = read_tree(Path(archives))
    roots = list_roots(base)
    with open_beside(beside, n_threads) as given:
        pairs = pair_files(tree, tree.root, roots[0] if roots else None, compressing=False)
        predecessors = {pair.source: pair.base for pair in pairs}
        bases = BaseDirectory(roots, n_threads)
        directory = ArchiveDirectory(tree.root, predecessors, bases, given, n_threads)
        if directory.manifest is not None:
            directory.failures.extend(find_missing(tree, directory.manifest))

        def prove(opened: Archive, archive: Path, progress: Progress | None) -> VerifyReport:
            return prove_archive(opened, archive, n_threads, progress)

        reports = directory.visit_archives(prove, show_progress=show_progress, on_report=on_report)
    directory.failures.raise_all()
    return reports
