"""From a checkpoint on disk to archives in a work directory, ready to be published. No store is asked here."""

import time
from collections import ChainMap
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

from weightzip.codec.joining.moved import find_nothing
from weightzip.codec.recipes.level import Level
from weightzip.daemon.checkpoint import FileEntry, TreeEntry, hash_file, resolve_entry_path, scan_tree
from weightzip.daemon.jobs.join import join_files
from weightzip.daemon.jobs.leftovers import EncodedFile, archive_path, fits, is_whole, read_note, write_note
from weightzip.daemon.jobs.moved import MovedFinder
from weightzip.daemon.jobs.predecessor import PredecessorFiles
from weightzip.daemon.store.encoded import EncodedCheckpoint
from weightzip.daemon.store.manifest import ArchiveRecord, list_needed
from weightzip.errors import NotFound, SourceChanged, WrongPredecessor
from weightzip.files import compress_file
from weightzip.files.beside import BesideFiles, rank_file
from weightzip.files.reports import CompressReport, Progress


class ArchiveSink(Protocol):
    """Where finished archives go while the next ones are made. See Uploader beside this file."""

    def holds(self, record: ArchiveRecord) -> bool:
        """Say whether it has an archive already, so that one that left the work directory need not be made again."""

    def put(self, record: ArchiveRecord, archive: Path) -> None:
        """Take over a finished archive, file included. May wait, and may raise what became of earlier ones."""


def encode_checkpoint(
    name: str,
    step: int,
    root: Path,
    *,
    workdir: Path,
    predecessor: PredecessorFiles | None = None,
    level: Level = Level.DEFAULT,
    n_threads: int = 0,
    verify: bool = True,
    progress: Progress | None = None,
    sink: ArchiveSink | None = None,
) -> EncodedCheckpoint:
    """Compress every file of the checkpoint at `root` into `workdir`, against the predecessor's file of its path.

    Tensors that moved from one file to another are found by name (see EarlierFiles). The largest file comes first, and
    later ones may lean on it too (see BesideFiles).
    Files that the predecessor (or its chain) holds already make no archive.
    Run it again with the same `workdir` after an interruption: archives that still fit are taken over.
    Each archive goes to the `sink` as soon as it is finished; without one they all stay in `workdir`. `progress`
    counts raw bytes over all files.

    Raises:
        NotFound: there is nothing at `root`.
        SourceChanged: a file changed, or vanished: settle again, then retry.
        UsageError: the checkpoint holds something that is no file, directory or link.
        DiskFull, VerificationFailed: as in compress_file.
        MissingPredecessor, WrongPredecessor: the predecessor's file is gone or no longer the published one.
        WeightzipError: whatever the sink raises.
    """
    start = time.monotonic()
    workdir.mkdir(parents=True, exist_ok=True)
    tree = scan_tree(root)
    files = [entry for entry in tree if entry.kind == "file"]
    partners = join_files(files, predecessor.manifest.files) if predecessor is not None else {}
    total_bytes = sum(file.size_bytes for file in files)
    with BesideFiles(n_threads) as beside:
        job = _Job(root, workdir, predecessor, level, n_threads, verify, total_bytes, progress, sink, beside)
        digests = {
            file.path: job.encode_file(file, partners.get(file.path))
            for file in sorted(files, key=lambda file: rank_file(file.size_bytes, file.path))
        }
    archives = job.select_archives(digests.values())
    leans = any(digest in job.known for digest in archives)
    return EncodedCheckpoint(
        name=name,
        step=step,
        entries=tuple(FileEntry(**vars(entry), digest=digests.get(entry.path)) for entry in tree),
        predecessor=predecessor.manifest.identity if predecessor is not None and leans else None,
        archives=archives,
        new_archives=job.new_archives,
        raw_bytes=job.total_bytes,
        stored_bytes=sum(record.size_bytes for record in job.made.values()),
        seconds=time.monotonic() - start,
    )


@dataclass
class _Job:
    """The running state of one encoding: what is known already, what was made, how far it is."""

    root: Path
    workdir: Path
    predecessor: PredecessorFiles | None
    level: Level
    n_threads: int
    verify: bool
    total_bytes: int
    progress: Progress | None
    sink: ArchiveSink | None
    beside: BesideFiles
    made: dict[str, ArchiveRecord] = field(default_factory=dict)
    new_archives: dict[str, Path] = field(default_factory=dict)
    known_sizes: set[int] = field(default_factory=set)
    done_bytes: int = 0

    def __post_init__(self) -> None:
        self.moved = MovedFinder(self.predecessor) if self.predecessor is not None else None
        self.known_sizes.update(record.file_bytes for record in self.known.values())

    @property
    def archives(self) -> Mapping[str, ArchiveRecord]:
        """Return all archives that a file may lean on, by file digest."""
        return ChainMap(self.made, self.known)

    @property
    def known(self) -> dict[str, ArchiveRecord]:
        """Return the archives of the predecessor and its chain, by file digest."""
        return self.predecessor.manifest.encoding.archives if self.predecessor is not None else {}

    def encode_file(self, file: TreeEntry, partner: FileEntry | None) -> str:
        """Make sure that an archive for the file exists; return the file's digest."""
        path = resolve_entry_path(self.root, file.path)
        archive = archive_path(self.workdir, file.path)
        note = read_note(archive)
        digest = None
        if note is not None or file.size_bytes in self.known_sizes:
            # Only then can the file be known already; reading it twice is cheaper than coding it once.
            digest = _hash_source(path, file, self.n_threads)
            if digest in self.archives:
                self._offer(path, digest)
                self._advance(file.size_bytes)
                return digest
        taken = note is not None and digest is not None and self._take_over(note, digest, archive)
        encoded = note if note is not None and taken else self._compress(path, archive, file, partner)
        if digest not in {None, encoded.file_digest}:
            raise SourceChanged(f"{path} changed while it was read")
        self.made[encoded.file_digest] = encoded.record
        self.known_sizes.add(encoded.file_bytes)
        self._offer(path, encoded.file_digest)
        self._advance(file.size_bytes)
        return encoded.file_digest

    def select_archives(self, digests: Iterable[str]) -> dict[str, ArchiveRecord]:
        """Return the archives that restore these files, with all that they lean on."""
        selected: dict[str, ArchiveRecord] = {}
        for digest in digests:
            selected |= list_needed(self.archives, digest)
        return selected

    def _offer(self, path: Path, digest: str) -> None:
        """Let the files that follow lean on this one."""
        needed = list_needed(self.archives, digest).values()
        self.beside.offer(path, digest, leans=any(record.beside_digests for record in needed))

    def _take_over(self, note: EncodedFile, file_digest: str, archive: Path) -> bool:
        """Say whether the archive of an earlier attempt fits and is at hand, here or in the sink."""
        if not fits(note, file_digest, self.archives):
            return False
        if is_whole(archive, note):
            self._hand_over(note, archive)
            return True
        return self.sink is not None and self.sink.holds(note.record)

    def _hand_over(self, encoded: EncodedFile, archive: Path) -> None:
        if self.sink is None:
            self.new_archives[encoded.object_digest] = archive
        else:
            self.sink.put(encoded.record, archive)

    def _compress(self, path: Path, archive: Path, file: TreeEntry, partner: FileEntry | None) -> EncodedFile:
        with ExitStack() as opened:
            base, find_moved = None, find_nothing
            if partner is not None and self.predecessor is not None:
                base = opened.enter_context(self.predecessor.open_file(partner))
            if self.moved is not None:
                find_moved = partial(self.moved.open_moved, file.path, partner, opened)
            try:
                report = compress_file(
                    path,
                    archive,
                    base=base,
                    beside=self.beside.files,
                    find_moved=find_moved,
                    level=self.level,
                    n_threads=self.n_threads,
                    verify=self.verify,
                    force=True,
                    progress=self._report_within,
                )
            except NotFound as error:
                raise SourceChanged(f"{path} vanished before it was read") from error
        _check_report(report, path, file, self.known)
        encoded = EncodedFile(
            report.file_digest,
            report.raw_bytes,
            report.archive_digest,
            report.stored_bytes,
            report.base_digest,
            report.moved_digests,
            report.beside_digests,
        )
        write_note(archive, encoded)
        self._hand_over(encoded, archive)
        return encoded

    def _report_within(self, done_bytes: int, _: int) -> None:
        if self.progress is not None:
            self.progress(self.done_bytes + done_bytes, self.total_bytes)

    def _advance(self, n_bytes: int) -> None:
        self.done_bytes += n_bytes
        if self.progress is not None:
            self.progress(self.done_bytes, self.total_bytes)


def _hash_source(path: Path, file: TreeEntry, n_threads: int) -> str:
    try:
        digest = hash_file(path, n_threads=n_threads)
        size_bytes = path.stat().st_size
    except FileNotFoundError as error:
        raise SourceChanged(f"{path} vanished before it was read") from error
    if size_bytes != file.size_bytes:
        raise SourceChanged(f"{path} has {size_bytes} bytes, it had {file.size_bytes} when it was listed")
    return digest


def _check_report(report: CompressReport, path: Path, file: TreeEntry, published: Collection[str]) -> None:
    if report.raw_bytes != file.size_bytes:
        raise SourceChanged(
            f"{path} has {report.raw_bytes} bytes, it had {file.size_bytes} when it was listed"
        )
    for digest in filter(None, (report.base_digest, *report.moved_digests)):
        if digest not in published:
            raise WrongPredecessor(
                f"{path} was encoded against {digest}, which the manifest of the predecessor does not hold"
            )
