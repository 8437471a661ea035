"""Compressing the directory of a checkpoint: its files may lean on each other."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from weightzip.codec.recipes.level import Level
from weightzip.errors import TargetExists
from weightzip.files.beside import BesideFiles, rank_file
from weightzip.files.compress import compress_file
from weightzip.files.directories.bases import BaseDirectory
from weightzip.files.directories.copies import Copies
from weightzip.files.directories.kept import find_kept_archives
from weightzip.files.directories.links import choose_links
from weightzip.files.directories.manifest import ListedFile, Manifest, write_manifest
from weightzip.files.directories.target import check_place, clear_directory, fill_directory, list_standing
from weightzip.files.directories.tree import MANIFEST_NAME, FilePair, Tree, pair_files, read_tree
from weightzip.files.opening import PathLike, list_roots
from weightzip.files.reports import CompressReport, Progress, ShowProgress, ignore_report, show_nothing


def compress_directory(
    source: PathLike,
    target: PathLike,
    *,
    base: PathLike | Sequence[PathLike] | None = None,
    follow_links: bool | None = None,
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
    its files to another are found by name. Of several, the others hold what the first leans on. Folders, links, modes
    and times are kept. `follow_links` says whether links that lead out of the directory are compressed as the files
    that they lead to (True) or kept as links (False).

    The manifest comes last. What an interrupted run left in the target is taken over; with `force` nothing is, and
    what has no place in the directory is removed. `on_report` is called after each file: those are whole, whatever
    becomes of later ones.

    Raises:
        TargetExists: the target is complete, or holds what does not agree with the source, and force is False.
        UsageError: the target lies within the source or holds what is read; the source holds something that is no
            file, directory or link, or a link that leads out of it and follow_links is None.
        SourceChanged, VerificationFailed, DiskFull: as in compress_file.
    """
    source, target = Path(source), Path(target)
    roots = list_roots(base)
    tree = choose_links(read_tree(source), follow_links)
    check_place(target, source, roots)
    pairs = sorted(pair_files(tree, target, roots[0] if roots else None, compressing=True), key=_rank_pair)
    bases = BaseDirectory(roots, n_threads)
    kept = _clear_the_way(tree, target, pairs, bases, n_threads, force=force)
    job = _DirectoryJob(pairs, bases, _Wishes(level, n_threads, verify, force))
    with fill_directory(tree, target):
        reports = job.run(kept, show_progress, on_report)
        files = {
            pair.path: ListedFile(report.raw_bytes, report.file_digest)
            for pair, report in zip(pairs, reports, strict=True)
        }
        write_manifest(target, Manifest(files, frozenset(tree.folders[1:]), tree.links))
    return reports


def _clear_the_way(
    tree: Tree, target: Path, pairs: Sequence[FilePair], bases: BaseDirectory, n_threads: int, *, force: bool
) -> Mapping[Path, CompressReport]:
    """Make target ready to be filled, and return the archives in it that stay."""
    files = {pair.target for pair in pairs}
    if force:
        clear_directory(tree, target, files)
        return {}
    if (target / MANIFEST_NAME).exists():
        raise TargetExists(f"{target}: already exists and is complete")
    return find_kept_archives(pairs, list_standing(tree, target, files), bases, n_threads)


@dataclass(frozen=True)
class _Wishes:
    """How each file shall be compressed."""

    level: Level | Literal["fast", "default", "max"]
    n_threads: int
    verify: bool
    force: bool


class _DirectoryJob:
    """The files of a directory, being compressed one after the other."""

    def __init__(self, pairs: Sequence[FilePair], bases: BaseDirectory, wishes: _Wishes) -> None:
        self._pairs = pairs
        self._bases = bases
        self._wishes = wishes
        self._copies = Copies(wishes.n_threads)

    def run(
        self,
        kept: Mapping[Path, CompressReport],
        show_progress: ShowProgress,
        on_report: Callable[[CompressReport], object],
    ) -> list[CompressReport]:
        """Compress what is not kept, and return the reports of all."""
        reports = []
        with BesideFiles(self._wishes.n_threads) as beside:
            for pair in self._pairs:
                report = kept.get(pair.target)
                if report is None:
                    with show_progress(pair.source.name) as progress:
                        report = self._compress(pair, beside, progress)
                beside.offer(pair.source, report.file_digest, leans=bool(report.beside_digests))
                self._copies.offer(report)
                reports.append(report)
                on_report(report)
        return reports

    def _compress(self, pair: FilePair, beside: BesideFiles, progress: Progress | None) -> CompressReport:
        copied = self._copies.find(pair.source)
        with (
            self._bases.open_file(pair.base) if copied is None else closing(copied) as predecessor,
            ExitStack() as opened,
        ):
            report = compress_file(
                pair.source,
                pair.target,
                base=predecessor,
                beside=beside.files,
                find_moved=partial(self._bases.open_moved, pair, opened),
                level=self._wishes.level,
                n_threads=self._wishes.n_threads,
                verify=self._wishes.verify,
                force=self._wishes.force,
                progress=progress,
            )
        if copied is None or report.base_digest is None:
            return report
        return replace(report, base_digest=None, beside_digests=(report.base_digest,))


def _rank_pair(pair: FilePair) -> tuple[int, str]:
    return rank_file(pair.source.stat().st_size, pair.source)
