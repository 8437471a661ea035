"""Compressing one file."""

import os
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from weightzip.codec.backend import CpuBackend
from weightzip.codec.containers import read_layout
from weightzip.codec.encoder import encode_shard
from weightzip.codec.format.checksum import DigestBuilder
from weightzip.codec.format.header import Reference
from weightzip.codec.format.layout import Layout
from weightzip.codec.predecessor import FilePredecessor, Predecessor
from weightzip.codec.source import BytesLike, ByteSource
from weightzip.codec.writer import ArchiveWriter
from weightzip.errors import UsageError
from weightzip.files.opening import Base, PathLike, open_base, open_source
from weightzip.files.publish import check_target, publish_file
from weightzip.files.reports import CompressReport, Progress, ignore_progress


def compress_file(
    source: PathLike,
    target: PathLike,
    *,
    base: Base | None = None,
    n_threads: int = 0,
    verify: bool = True,
    force: bool = False,
    progress: Progress | None = None,
) -> CompressReport:
    """Compress one file into an archive, published only when it is complete (and, with verify, proven).

    `base` is the predecessor: a raw file, an archive (path or open), or any Predecessor. `n_threads` 0 uses all cores.
    Mode and modification time of the source are put on the archive.

    Raises:
        TargetExists: the target is there and force is False.
        UsageError: the target is the source or the base itself, or no regular file.
        SourceChanged: the source or the predecessor changed while it was read.
        VerificationFailed: the archive does not restore to the source.
        DiskFull: no space left; the temporary file is gone.
    """
    started = time.monotonic()
    source, target = Path(source), Path(target)
    check_target(target, force=force)
    _check_apart(target, source, "source")
    if isinstance(base, str | os.PathLike):
        _check_apart(target, Path(base), "base")
    with open_source(source) as opened, open_base(base, n_threads) as predecessor:
        layout = read_layout(opened)
        with publish_file(target, like=opened.stat, force=force) as file:
            job = _CompressJob(file, predecessor, n_threads)
            job.run(opened, layout, verify, progress or ignore_progress, str(source))
            opened.check_unchanged()
            if isinstance(predecessor, FilePredecessor):
                predecessor.check_unchanged()
    return CompressReport(
        source=source,
        target=target,
        raw_bytes=layout.file_bytes,
        stored_bytes=job.stored_bytes,
        file_digest=job.file_digest.digest().hex(),
        archive_digest=job.archive_digest.digest().hex(),
        base_digest=predecessor.digest.hex() if predecessor is not None and job.leans else None,
        n_tensors=len(layout.tensors),
        stored_bytes_by_method=dict(job.stored_bytes_by_method),
        seconds=time.monotonic() - started,
    )


def _check_apart(target: Path, other: Path, role: str) -> None:
    """Raise UsageError if target would replace a file that its own archive is made of or leans on."""
    if target.exists() and other.exists() and target.samefile(other):
        raise UsageError(f"{target}: {role} and target are the same file")


class _CompressJob:
    """One archive being written, and the sums over its frames."""

    def __init__(self, file: BinaryIO, predecessor: Predecessor | None, n_threads: int) -> None:
        self._file = file
        self._predecessor = predecessor
        self._backend = CpuBackend(n_threads)
        self.file_digest = DigestBuilder(n_threads)
        self.archive_digest = DigestBuilder(n_threads)
        self.stored_bytes = 0
        self.stored_bytes_by_method: Counter[str] = Counter()
        self.leans = False

    def run(self, source: ByteSource, layout: Layout, verify: bool, progress: Progress, name: str) -> None:
        reference = None
        if self._predecessor is not None:
            reference = Reference(self._predecessor.digest, self._predecessor.size_bytes)
        writer = ArchiveWriter(self._write, reference)
        done_bytes = 0
        frames = encode_shard(source, layout, self._predecessor, self._backend, verify=verify, name=name)
        with closing(frames):
            for raw, frame in frames:
                self.file_digest.update(raw)
                writer.add_frame(frame)
                self.stored_bytes_by_method[frame.facts.method.name.lower()] += len(frame.body)
                self.leans |= frame.facts.uses_predecessor
                done_bytes += len(raw)
                progress(done_bytes, layout.file_bytes)
                del raw, frame  # or they would live on while the next frame is encoded
        writer.finish(layout, self.file_digest.digest())

    def _write(self, data: BytesLike) -> None:
        self._file.write(data)
        self.archive_digest.update(data)
        self.stored_bytes += len(data)
