"""Compressing one file."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import BinaryIO, Literal

from weightzip.codec.backend import CpuBackend
from weightzip.codec.containers import DirectorySurroundings, read_layout
from weightzip.codec.encoder import encode_shard
from weightzip.codec.format.checksum import DigestBuilder
from weightzip.codec.format.frame_table import list_references
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.joining.join import Join, join_shard
from weightzip.codec.joining.moved import find_nothing
from weightzip.codec.predecessor import FilePredecessor, Predecessor
from weightzip.codec.recipes.level import Level
from weightzip.codec.source import BytesLike, ByteSource
from weightzip.codec.writer import ArchiveWriter
from weightzip.files.opening import (
    Base,
    Bases,
    FindMovedBases,
    PathLike,
    list_bases,
    list_paths,
    open_beside,
    open_source,
)
from weightzip.files.publish import check_apart, check_target, publish_file
from weightzip.files.reports import CompressReport, Progress, ignore_progress


def compress_file(
    source: PathLike,
    target: PathLike,
    *,
    base: Bases | None = None,
    beside: Sequence[Base] = (),
    find_moved: FindMovedBases = find_nothing,
    level: Level | Literal["fast", "default", "max"] = Level.DEFAULT,
    n_threads: int = 0,
    verify: bool = True,
    force: bool = False,
    progress: Progress | None = None,
) -> CompressReport:
    """Compress one file into an archive, published only when it is complete (and, with verify, proven).

    `base` is the predecessor (of several files the first; the others are what it leans on), `beside` are files that were saved with this one, such as the master weights of a copy
    in bf16. Each is a raw file, an archive (path or open), or any Predecessor. Those that the report names are needed
    to restore the file. `find_moved` is asked for other files of the predecessor, once, with
    the tensors that `base` lacks. `level` says how much time fewer bytes may cost. `n_threads` 0 uses all cores. Mode and modification time of the source are put on the archive.

    Raises:
        TargetExists: the target is there and force is False.
        UsageError: the target is the source, the base or a file beside, or no regular file; there is no such level.
        SourceChanged: the source or a file that it may lean on changed while it was read.
        VerificationFailed: the archive does not restore to the source.
        DiskFull: no space left; the temporary file is gone.
    """
    started = time.monotonic()
    level = Level.parse(level)
    source, target = Path(source), Path(target)
    bases = list_bases(base)
    check_target(target, force=force)
    _check_all_apart(source, target, bases, beside)
    with (
        open_source(source) as opened,
        open_beside([*bases, *beside], n_threads) as given,
        ExitStack() as opened_later,
    ):
        predecessor, related = (given[0] if bases else None), given[len(bases) :]
        moved: list[Predecessor] = []

        def find(lacking: Sequence[TensorRange]) -> Sequence[Predecessor]:
            moved.extend(opened_later.enter_context(open_beside(find_moved(lacking), n_threads)))
            return moved

        layout = read_layout(opened, DirectorySurroundings(source))
        with publish_file(target, like=opened.stat, force=force) as file:
            job = _CompressJob(file, n_threads)
            join = join_shard(opened, layout, predecessor, related, find)
            job.run(opened, join, level, verify, progress or ignore_progress, str(source))
            opened.check_unchanged()
            _check_unchanged([predecessor, *related, *moved])
    needed = job.find_needed(join)
    return CompressReport(
        source=source,
        target=target,
        raw_bytes=layout.file_bytes,
        stored_bytes=job.stored_bytes,
        file_digest=job.file_digest.digest().hex(),
        archive_digest=job.archive_digest.digest().hex(),
        base_digest=next((digest for digest, file in needed.items() if file is predecessor), None),
        moved_digests=tuple(digest for digest, file in needed.items() if file in moved),
        beside_digests=tuple(digest for digest, file in needed.items() if file in related),
        n_tensors=len(layout.tensors),
        stored_bytes_by_method=dict(job.stored_bytes_by_method),
        seconds=time.monotonic() - started,
    )


def _check_all_apart(source: Path, target: Path, bases: Sequence[Base], beside: Sequence[Base]) -> None:
    check_apart(target, source, "source", "target")
    for other in list_paths(beside):
        check_apart(source, other, "source", "file beside it")
        check_apart(target, other, "file beside the source", "target")
    for other in list_paths(bases):
        check_apart(target, other, "base", "target")


def _check_unchanged(files: Sequence[Predecessor | None]) -> None:
    for file in files:
        if isinstance(file, FilePredecessor):
            file.check_unchanged()


class _CompressJob:
    """One archive being written, and the sums over its frames."""

    def __init__(self, file: BinaryIO, n_threads: int) -> None:
        self._file = file
        self._backend = CpuBackend(n_threads)
        self.file_digest = DigestBuilder(n_threads)
        self.archive_digest = DigestBuilder(n_threads)
        self.stored_bytes = 0
        self.stored_bytes_by_method: Counter[str] = Counter()
        self._leans_on = 0

    def run(
        self, source: ByteSource, join: Join, level: Level, verify: bool, progress: Progress, name: str
    ) -> None:
        writer = ArchiveWriter(self._write, join.header)
        done_bytes = 0
        frames = encode_shard(source, join, self._backend, level=level, verify=verify, name=name)
        with closing(frames):
            for raw, frame in frames:
                self.file_digest.update(raw)
                writer.add_frame(frame)
                self.stored_bytes_by_method[frame.facts.method.name.lower()] += frame.body_bytes
                self._leans_on |= frame.facts.leans_on
                done_bytes += len(raw)
                progress(done_bytes, join.layout.file_bytes)
                del raw, frame  # or they would live on while the next frame is encoded
        writer.finish(join.layout, join.arrangement, self.file_digest.digest())

    def find_needed(self, join: Join) -> Mapping[str, ByteSource]:
        """Return the files that frames lean on, by digest."""
        numbers = list_references(self._leans_on)
        return {join.header.references[number].digest.hex(): join.files[number] for number in numbers}

    def _write(self, data: BytesLike) -> None:
        self._file.write(data)
        self.archive_digest.update(data)
        self.stored_bytes += len(data)
