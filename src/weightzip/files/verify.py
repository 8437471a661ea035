"""Proving archives, writing nothing."""

import time
from collections.abc import Sequence
from pathlib import Path

from weightzip.codec.compare import are_equal
from weightzip.codec.reader import Archive
from weightzip.codec.source import BytesLike
from weightzip.errors import ContentDiffers
from weightzip.files.opening import Base, Bases, PathLike, open_archive, open_source
from weightzip.files.reports import Progress, VerifyReport
from weightzip.files.walk import Take, walk_archive


def verify_file(
    original: PathLike,
    archive: PathLike,
    *,
    base: Bases | None = None,
    beside: Sequence[Base] = (),
    n_threads: int = 0,
    progress: Progress | None = None,
) -> VerifyReport:
    """Prove that an archive restores to exactly the bytes of original, writing nothing.

    `base` and `beside` as in decompress_file.

    Raises:
        ContentDiffers: the archive is sound but holds another file.
        SourceChanged: the original changed while it was read.
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
    """
    with open_archive(archive, base=base, beside=beside, n_threads=n_threads) as opened:
        return compare_archive(opened, Path(archive), Path(original), n_threads, progress)


def compare_archive(
    opened: Archive, archive: Path, original: Path, n_threads: int, progress: Progress | None
) -> VerifyReport:
    """Prove an archive that was opened with what it leans on, as verify_file does."""
    with open_source(original) as source:

        def compare(offset: int, raw: BytesLike) -> None:
            end = offset + len(raw)
            if end > source.size_bytes or not are_equal(source.read_at(offset, len(raw)), raw):
                raise ContentDiffers(f"{original}: bytes {offset} to {end} differ from {archive}")

        report = _walk(opened, archive, original, compare, n_threads, progress)
        if report.raw_bytes != source.size_bytes:
            raise ContentDiffers(
                f"{original}: has {source.size_bytes} bytes, {archive} restores {report.raw_bytes}"
            )
        source.check_unchanged()
    return report


def check_archive(
    archive: PathLike,
    *,
    base: Bases | None = None,
    beside: Sequence[Base] = (),
    n_threads: int = 0,
    progress: Progress | None = None,
) -> VerifyReport:
    """Prove that an archive restores to its recorded digest, writing nothing.

    `base` and `beside` as in decompress_file.

    Raises:
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
    """
    with open_archive(archive, base=base, beside=beside, n_threads=n_threads) as opened:
        return prove_archive(opened, Path(archive), n_threads, progress)


def prove_archive(opened: Archive, archive: Path, n_threads: int, progress: Progress | None) -> VerifyReport:
    """Prove an archive that was opened with what it leans on, as check_archive does."""
    return _walk(opened, archive, None, lambda offset, raw: None, n_threads, progress)


def _walk(
    opened: Archive,
    archive: Path,
    original: Path | None,
    compare: Take,
    n_threads: int,
    progress: Progress | None,
) -> VerifyReport:
    started = time.monotonic()
    info = walk_archive(opened, compare, n_threads, progress)
    return VerifyReport(
        archive=archive,
        original=original,
        raw_bytes=info.file_bytes,
        stored_bytes=info.archive_bytes,
        file_digest=info.file_digest,
        needed_digests=info.needed_digests,
        n_frames=info.n_frames,
        seconds=time.monotonic() - started,
    )
