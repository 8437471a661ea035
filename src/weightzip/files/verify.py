"""Proving archives, writing nothing."""

import time
from pathlib import Path

from weightzip.codec.compare import are_equal
from weightzip.codec.source import BytesLike
from weightzip.errors import ContentDiffers
from weightzip.files.opening import Base, PathLike, open_archive, open_source
from weightzip.files.reports import Progress, VerifyReport
from weightzip.files.walk import Take, walk_archive


def verify_file(
    original: PathLike,
    archive: PathLike,
    *,
    base: Base | None = None,
    n_threads: int = 0,
    progress: Progress | None = None,
) -> VerifyReport:
    """Prove that an archive restores to exactly the bytes of original, writing nothing.

    Raises:
        ContentDiffers: the archive is sound but holds another file.
        SourceChanged: the original changed while it was read.
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
    """
    original = Path(original)
    with open_source(original) as source:

        def compare(offset: int, raw: BytesLike) -> None:
            end = offset + len(raw)
            if end > source.size_bytes or not are_equal(source.read_at(offset, len(raw)), raw):
                raise ContentDiffers(f"{original}: bytes {offset} to {end} differ from {archive}")

        report = _prove_archive(Path(archive), original, compare, base, n_threads, progress)
        if report.raw_bytes != source.size_bytes:
            raise ContentDiffers(
                f"{original}: has {source.size_bytes} bytes, {archive} restores {report.raw_bytes}"
            )
        source.check_unchanged()
    return report


def check_archive(
    archive: PathLike, *, base: Base | None = None, n_threads: int = 0, progress: Progress | None = None
) -> VerifyReport:
    """Prove that an archive restores to its recorded digest, writing nothing.

    Raises:
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
    """
    return _prove_archive(Path(archive), None, lambda offset, raw: None, base, n_threads, progress)


def _prove_archive(
    archive: Path,
    original: Path | None,
    compare: Take,
    base: Base | None,
    n_threads: int,
    progress: Progress | None,
) -> VerifyReport:
    started = time.monotonic()
    with open_archive(archive, base=base, n_threads=n_threads) as opened:
        info = walk_archive(opened, compare, n_threads, progress)
    return VerifyReport(
        archive=archive,
        original=original,
        raw_bytes=info.file_bytes,
        stored_bytes=info.archive_bytes,
        file_digest=info.file_digest,
        base_digest=info.base_digest if info.needs_base else None,
        n_frames=info.n_frames,
        seconds=time.monotonic() - started,
    )
