"""Restoring one file, from a file or from a pipe."""

import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from weightzip.codec.archive_info import ArchiveInfo, describe_archive
from weightzip.codec.backend import CpuBackend
from weightzip.codec.background import run_ahead
from weightzip.codec.predecessor import Predecessor
from weightzip.codec.reader import Archive
from weightzip.codec.source import FileSource
from weightzip.codec.stream import StreamDecoder
from weightzip.errors import CorruptData
from weightzip.files.opening import Base, Bases, PathLike, list_bases, list_paths, open_archive, open_beside
from weightzip.files.publish import check_apart, check_target, explain_full_disk, publish_file
from weightzip.files.reports import DecompressReport, Progress, StreamReport
from weightzip.files.temporary import spool_file
from weightzip.files.walk import walk_archive

_PIPE_NAME = "the piped archive"
_COPY_BYTES = 1 << 20


def decompress_file(
    archive: PathLike,
    target: PathLike,
    *,
    base: Bases | None = None,
    beside: Sequence[Base] = (),
    n_threads: int = 0,
    force: bool = False,
    progress: Progress | None = None,
) -> DecompressReport:
    """Restore the file of an archive, published only when its digest is the recorded one.

    `base` and `beside` are the files that the archive leans on, raw or as archives; each is found by its digest, and
    may come under either name. What is not given is looked for among the archives in its folder. Mode and modification time of the archive are put on the file.

    Raises:
        MissingPredecessor, WrongPredecessor: the archive leans on a file that was not given.
        CorruptData: the archive is damaged.
        UsageError: the target is the archive, or a file that it leans on.
        TargetExists, DiskFull: as in compress_file.
    """
    archive, target = Path(archive), Path(target)
    check_target(target, force=force)
    check_restored_apart(target, [archive, *list_paths([*list_bases(base), *beside])])
    with open_archive(archive, base=base, beside=beside, n_threads=n_threads) as opened:
        return restore_archive(opened, archive, target, n_threads=n_threads, force=force, progress=progress)


def check_restored_apart(target: Path, inputs: Sequence[Path]) -> None:
    """Raise UsageError if target is one of the files that are read to restore it."""
    for path in inputs:
        check_apart(target, path, "the target", "what is read to restore it")


def restore_archive(
    opened: Archive,
    archive: Path,
    target: Path,
    *,
    n_threads: int,
    force: bool,
    progress: Progress | None,
) -> DecompressReport:
    """Restore the file of an archive that was opened with what it leans on, as decompress_file does."""
    started = time.monotonic()
    with publish_file(target, like=archive.stat(), force=force) as file:
        info = walk_archive(opened, lambda _, raw: file.write(raw), n_threads, progress)
    return DecompressReport(
        archive=archive,
        target=target,
        raw_bytes=info.file_bytes,
        stored_bytes=info.archive_bytes,
        file_digest=info.file_digest,
        needed_digests=info.needed_digests,
        seconds=time.monotonic() - started,
    )


def write_restored(
    archive: PathLike,
    writer: BinaryIO,
    *,
    base: Bases | None = None,
    beside: Sequence[Base] = (),
    n_threads: int = 0,
) -> StreamReport:
    """Restore the file of an archive on disk into a pipe, as decompress_stream does."""
    with open_archive(archive, base=base, beside=beside, n_threads=n_threads) as opened:
        return _report(walk_archive(opened, lambda _, raw: writer.write(raw), n_threads, None))


def decompress_stream(
    reader: BinaryIO,
    writer: BinaryIO,
    *,
    base: Bases | None = None,
    beside: Sequence[Base] = (),
    n_threads: int = 0,
    spool_directory: Path | None = None,
) -> StreamReport:
    """Restore an archive forward from a pipe, in bounded memory.

    Bytes reach the writer frame by frame, each proven by its checksum; the digest of the whole is proven at the end.
    A reader of the output must wait for this to return before it trusts that the output is complete.

    An archive that leans on bytes of its own or is arranged cannot be decoded forward: it is first read to its end, into a temporary
    file in `spool_directory` (None: the system's, TMPDIR) that is gone when this returns.

    Raises:
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
        DiskFull: there is no room for the temporary file.
    """
    with open_beside([*beside, *list_bases(base)], n_threads) as given:
        decoder = StreamDecoder(
            reader,
            predecessor=None,
            beside=given,
            backend=CpuBackend(n_threads),
            n_threads=n_threads,
            name=_PIPE_NAME,
        )
        if decoder.header.needs_random_access:
            return _restore_spooled(decoder, reader, writer, given, n_threads, spool_directory)
        with closing(run_ahead(decoder)) as frames:
            writer.writelines(frames)
    if decoder.index is None:
        raise CorruptData(f"{_PIPE_NAME}: it has no index")
    return _report(describe_archive(decoder.header, decoder.index, decoder.position))


def _restore_spooled(
    decoder: StreamDecoder,
    reader: BinaryIO,
    writer: BinaryIO,
    given: Sequence[Predecessor],
    n_threads: int,
    directory: Path | None,
) -> StreamReport:
    """Read the rest of a piped archive into a temporary file and restore from there."""
    directory = Path(tempfile.gettempdir()) if directory is None else directory
    with spool_file(directory) as (spool, file):
        with explain_full_disk(directory):
            file.write(decoder.stored_header)
            shutil.copyfileobj(reader, file, _COPY_BYTES)
            file.flush()
        with FileSource(spool) as source:
            archive = Archive(source, beside=given, backend=CpuBackend(n_threads), name=_PIPE_NAME)
            return _report(walk_archive(archive, lambda _, raw: writer.write(raw), n_threads, None))


def _report(info: ArchiveInfo) -> StreamReport:
    return StreamReport(
        raw_bytes=info.file_bytes,
        stored_bytes=info.archive_bytes,
        file_digest=info.file_digest,
        needed_digests=info.needed_digests,
    )
