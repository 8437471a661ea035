"""Restoring one file, from a file or from a pipe."""

import time
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from weightzip.codec.backend import CpuBackend
from weightzip.codec.background import run_ahead
from weightzip.codec.stream import StreamDecoder
from weightzip.errors import CorruptData
from weightzip.files.opening import Base, PathLike, open_archive, open_base
from weightzip.files.publish import check_target, publish_file
from weightzip.files.reports import DecompressReport, Progress, StreamReport
from weightzip.files.walk import walk_archive


def decompress_file(
    archive: PathLike,
    target: PathLike,
    *,
    base: Base | None = None,
    n_threads: int = 0,
    force: bool = False,
    progress: Progress | None = None,
) -> DecompressReport:
    """Restore the file of an archive, published only when its digest is the recorded one.

    Mode and modification time of the archive are put on the file.

    Raises:
        MissingPredecessor, WrongPredecessor: the archive leans on a predecessor that `base` is not.
        CorruptData: the archive is damaged.
        TargetExists, DiskFull: as in compress_file.
    """
    started = time.monotonic()
    archive, target = Path(archive), Path(target)
    check_target(target, force=force)
    with (
        open_archive(archive, base=base, n_threads=n_threads) as opened,
        publish_file(target, like=archive.stat(), force=force) as file,
    ):
        info = walk_archive(opened, lambda _, raw: file.write(raw), n_threads, progress)
    return DecompressReport(
        archive=archive,
        target=target,
        raw_bytes=info.file_bytes,
        stored_bytes=info.archive_bytes,
        file_digest=info.file_digest,
        base_digest=info.base_digest if info.needs_base else None,
        seconds=time.monotonic() - started,
    )


def decompress_stream(
    reader: BinaryIO, writer: BinaryIO, *, base: Base | None = None, n_threads: int = 0
) -> StreamReport:
    """Restore an archive forward from a pipe, in bounded memory.

    Bytes reach the writer frame by frame, each proven by its checksum; the digest of the whole is proven at the end.
    A reader of the output must wait for this to return before it trusts that the output is complete.

    Raises:
        MissingPredecessor, WrongPredecessor, CorruptData: as in decompress_file.
    """
    with open_base(base, n_threads) as predecessor:
        decoder = StreamDecoder(
            reader,
            predecessor=predecessor,
            backend=CpuBackend(n_threads),
            n_threads=n_threads,
            name="the piped archive",
        )
        with closing(run_ahead(decoder)) as frames:
            writer.writelines(frames)
    index, reference = decoder.index, decoder.header.reference
    if index is None:
        raise CorruptData("the piped archive: it has no index")
    leans = reference is not None and bool(index.frames.uses_predecessor.any())
    return StreamReport(
        raw_bytes=index.file_bytes,
        stored_bytes=decoder.position,
        file_digest=index.file_digest.hex(),
        base_digest=reference.digest.hex() if reference is not None and leans else None,
    )
