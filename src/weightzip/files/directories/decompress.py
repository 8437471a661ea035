"""Restoring a directory of archives."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from weightzip.codec.reader import Archive
from weightzip.files.decompress import restore_archive
from weightzip.files.directories.archives import ArchiveDirectory
from weightzip.files.directories.bases import BaseDirectory
from weightzip.files.directories.completeness import find_missing
from weightzip.files.directories.kept import find_kept_files
from weightzip.files.directories.target import check_place, clear_directory, fill_directory, list_standing
from weightzip.files.directories.tree import FilePair, Tree, pair_files, read_tree
from weightzip.files.opening import Base, PathLike, list_paths, list_roots, open_beside
from weightzip.files.reports import DecompressReport, Progress, ShowProgress, ignore_report, show_nothing


def decompress_directory(
    archives: PathLike,
    target: PathLike,
    *,
    base: PathLike | Sequence[PathLike] | None = None,
    beside: Sequence[Base] = (),
    n_threads: int = 0,
    force: bool = False,
    show_progress: ShowProgress = show_nothing,
    on_report: Callable[[DecompressReport], object] = ignore_report,
) -> list[DecompressReport]:
    """Restore every file of a directory of archives, and return their reports in the order of work.

    What archives of the directory lean on is found among the others, and restored first. `base` is the directory of
    predecessors, of several the others hold what its archives lean on; `beside` are files that any archive may lean on.
    Folders, links, modes and times are kept. `on_report` is called after each file: those are whole, whatever becomes
    of later ones. What fails is left out, and the error at the end names all of it.

    Files that stand in the target, as after an interruption, are kept if they are what would be restored. With `force`
    none is kept, and what has no place in the directory is removed. Warns of a directory without manifest.

    Raises:
        TargetExists: the target holds what would not be restored, and force is False.
        UsageError: the target lies within the directory or holds what is read, or the directory holds a file that is
            no archive by its name.
        MissingPredecessor, WrongPredecessor, CorruptData, DiskFull: as in decompress_file.
    """
    archives, target = Path(archives), Path(target)
    roots = list_roots(base)
    tree = read_tree(archives)
    check_place(target, archives, [*roots, *list_paths(beside)])
    pairs = {
        pair.source: pair for pair in pair_files(tree, target, roots[0] if roots else None, compressing=False)
    }
    with open_beside(beside, n_threads) as given:
        predecessors = {path: pair.base for path, pair in pairs.items()}
        bases = BaseDirectory(roots, n_threads)
        directory = ArchiveDirectory(archives, predecessors, bases, given, n_threads)
        if directory.manifest is not None:
            directory.failures.extend(find_missing(tree, directory.manifest))
        kept = _clear_the_way(tree, target, list(pairs.values()), n_threads, force=force)

        def restore(opened: Archive, archive: Path, progress: Progress | None) -> DecompressReport:
            restored = pairs[archive].target
            report = kept.get(archive)
            if report is None:
                report = restore_archive(
                    opened, archive, restored, n_threads=n_threads, force=force, progress=progress
                )
            directory.add_file(restored, report.file_digest)
            return report

        with fill_directory(tree, target):
            reports = directory.visit_archives(restore, show_progress=show_progress, on_report=on_report)
            if not reports:
                directory.failures.raise_all()
        directory.failures.raise_all()
    return reports


def _clear_the_way(
    tree: Tree, target: Path, pairs: Sequence[FilePair], n_threads: int, *, force: bool
) -> Mapping[Path, DecompressReport]:
    """Make target ready to be filled, and return the files in it that stay, by archive."""
    files = {pair.target for pair in pairs}
    if force:
        clear_directory(tree, target, files)
        return {}
    return find_kept_files(pairs, list_standing(tree, target, files), n_threads)
