"""Walking an archive from front to back: what it restores goes to whoever asked, piece by piece."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from weightzip.codec.archive_info import ArchiveInfo
from weightzip.codec.decoder import decode_shard
from weightzip.codec.reader import Archive
from weightzip.codec.source import BytesLike
from weightzip.errors import MissingPredecessor
from weightzip.files.neighbours import explain_missing
from weightzip.files.reports import Progress, ignore_progress

Take = Callable[[int, BytesLike], object]
"""Takes restored bytes and their offset in the shard."""


def walk_archive(archive: Archive, take: Take, n_threads: int, progress: Progress | None) -> ArchiveInfo:
    """Hand all restored bytes to `take`, in order, and return the archive's facts once its digest is proven.

    Raises:
        MissingPredecessor, WrongPredecessor, CorruptData: as in decode_shard.
    """
    try:
        archive.check_references()
    except MissingPredecessor as error:
        raise explain_missing(error, Path(archive.name)) from error
    report_progress = progress or ignore_progress
    done_bytes = 0
    with closing(decode_shard(archive, n_threads=n_threads)) as frames:
        for raw in frames:
            take(done_bytes, raw)
            done_bytes += len(raw)
            report_progress(done_bytes, archive.index.file_bytes)
            del raw  # or it would live on while the next one is decoded
    return archive.info
