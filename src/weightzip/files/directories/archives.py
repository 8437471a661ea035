"""The archives of one directory, opened one after the other, each with what it leans on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from weightzip.codec.archive_info import ReferenceInfo
from weightzip.codec.predecessor import FilePredecessor, Predecessor
from weightzip.codec.reader import Archive
from weightzip.files.catalog import Catalog, CatalogEntry, order_by_need
from weightzip.files.directories.bases import BaseDirectory
from weightzip.files.directories.completeness import check_listed, load_manifest
from weightzip.files.directories.failures import Failures
from weightzip.files.opening import open_with
from weightzip.files.reports import Progress, ShowProgress

Report = TypeVar("Report")


class ArchiveDirectory:
    """Archives that may lean on each other, on their predecessors in another directory, and on files given for all.

    Where a file that an archive leans on is at hand (see add_file), it is read; otherwise the archive of it is decoded
    as its bytes are asked for.
    """

    def __init__(
        self,
        root: Path,
        predecessors: Mapping[Path, Path | None],
        bases: BaseDirectory,
        beside: Sequence[Predecessor],
        n_threads: int,
    ) -> None:
        """Take each archive with its predecessor if it has one, the directory of the latter, and files for all."""
        self._root = root
        self._predecessors = predecessors
        self._catalog = Catalog(self._predecessors)
        self._bases = bases
        self._beside = beside
        self._n_threads = n_threads
        self._files: dict[str, Path] = {}
        self.failures = Failures()
        self.manifest = load_manifest(root, self.failures)

    def list_archives(self) -> list[Path]:
        """Return the archives in the order of work: each comes after those that restore what it leans on.

        Archives that cannot be read come before those that lean on what is in none of the others: if that was in a
        damaged one, the damage is the error to tell.
        """
        settled: set[str] = set()
        first, last = [], []
        for entry in order_by_need(self._catalog.entries):
            if settled.issuperset(entry.needed_digests):
                settled.add(entry.file_digest)
                first.append(entry.archive)
            else:
                last.append(entry.archive)
        return [*first, *self._catalog.unreadable, *last]

    def add_file(self, path: Path, file_digest: str) -> None:
        """Let archives that follow read this file: it has been proven to have the digest."""
        self._files.setdefault(file_digest, path)

    def visit_archives(
        self,
        work: Callable[[Archive, Path, Progress | None], Report],
        *,
        show_progress: ShowProgress,
        on_report: Callable[[Report], object],
    ) -> list[Report]:
        """Open one archive after the other, in the order of work, and return what `work` reports of each.

        Where it goes by what was restored or compared, `work` calls add_file. `on_report` is called after each archive.
        What is wrong with one archive goes to `failures`, and the next one follows.
        """
        reports = []
        for archive in self.list_archives():
            with self.failures.collect():
                with self.open_archive(archive) as opened, show_progress(archive.name) as progress:
                    if self.manifest is not None:
                        check_listed(archive.relative_to(self._root), opened, self.manifest)
                    reports.append(work(opened, archive, progress))
                on_report(reports[-1])
        return reports

    @contextmanager
    def open_archive(self, archive: Path) -> Iterator[Archive]:
        """Yield one of the archives with what it leans on. Raises as opening.open_archive does."""
        entry = self._catalog.find(archive)
        needing = [entry] if entry is not None else []
        needed = [digest for one in needing for digest in one.needed_digests]
        others = self._catalog.list_needed(archive, needed, self._files)
        with ExitStack() as opened:
            given = [
                *self._open_files([*others, *needing], opened),
                *self._open_bases([*others, *needing], opened),
            ]
            yield opened.enter_context(open_with(archive, others, given, self._n_threads))

    def _open_files(self, entries: Sequence[CatalogEntry], opened: ExitStack) -> list[Predecessor]:
        """Return those of the files at hand that these archives lean on."""
        files: list[Predecessor] = []
        for digest in dict.fromkeys(digest for entry in entries for digest in entry.needed_digests):
            if digest in self._files:
                file = FilePredecessor(self._files[digest], digest=bytes.fromhex(digest))
                opened.callback(file.close)
                files.append(file)
        return files

    def _open_bases(self, entries: Sequence[CatalogEntry], opened: ExitStack) -> list[Predecessor]:
        """Return the predecessors of archives and the files for all; none if nothing else is leaned on.

        Each archive may lean on those before it and on the files at hand.
        """
        known = set(self._files)
        unknown: dict[str, ReferenceInfo] = {}
        for entry in entries:
            unknown |= {one.digest: one for one in entry.needed if one.digest not in known}
            known.add(entry.file_digest)
        if not unknown:
            return []
        paths = dict.fromkeys(self._predecessors[entry.archive] for entry in entries)
        files = self._bases.open_needed(list(unknown.values()), list(filter(None, paths)), opened)
        return [*files, *self._beside]
