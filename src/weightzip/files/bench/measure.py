"""Measuring files one after the other: compressed into a temporary place, restored, compared, timed, removed."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from itertools import product
from pathlib import Path

from weightzip.codec.backend import CpuBackend
from weightzip.codec.containers import DirectorySurroundings, read_layout
from weightzip.codec.encoder import encode_shard
from weightzip.codec.format.checksum import DigestBuilder
from weightzip.codec.joining.join import join_shard
from weightzip.codec.predecessor import Predecessor
from weightzip.codec.reader import Archive
from weightzip.codec.recipes.level import Level
from weightzip.codec.source import FileSource
from weightzip.errors import ContentDiffers
from weightzip.files.bench.inputs import BenchInput
from weightzip.files.bench.kinds import split_index, sum_kinds
from weightzip.files.bench.machine import describe_machine, read_disk_bytes, read_memory_bytes
from weightzip.files.bench.report import BenchReport, FileResult, TensorResult, Timing, pick_largest
from weightzip.files.beside import BesideFiles, rank_file
from weightzip.files.compress import compress_file
from weightzip.files.opening import open_archive, open_base, open_beside, open_source
from weightzip.files.publish import check_apart
from weightzip.files.reports import Progress, ShowProgress, ignore_progress
from weightzip.files.verify import verify_file
from weightzip.files.walk import walk_archive

# Small files take too little time for one measurement to mean anything.
_ENOUGH_SECONDS = 1.0
_MAX_ROUNDS = 5


@dataclass(frozen=True)
class _Wishes:
    """How each file is measured, and the files that all may lean on."""

    level: Level
    n_threads: int
    given: Mapping[Path, Predecessor]


def measure_inputs(
    inputs: Sequence[BenchInput],
    *,
    beside: Sequence[Path] = (),
    level: Level = Level.DEFAULT,
    n_threads: int = 0,
    show_progress: ShowProgress,
) -> BenchReport:
    """Measure all files and return the report, files in the order of the inputs. `n_threads` 0 uses all cores.

    The largest file of a checkpoint comes first, and later ones may lean on it, as in the daemon, and on those that
    are given as `beside`. One archive at a time lies in the system's temporary directory (TMPDIR); memory is bounded, inputs are only read.

    Raises:
        ContentDiffers, VerificationFailed: a file does not come back as it was: no figure is worth reporting then.
        UsageError: a file is given as one beside itself.
        SourceChanged, DiskFull, NotFound: as in compress_file.
    """
    for one, other in product(inputs, beside):
        check_apart(one.source, other, "what is measured", "the file beside it")
    n_threads = n_threads or len(os.sched_getaffinity(0))
    measured_at, machine = datetime.now(timezone.utc), describe_machine()
    memory_before_bytes, _ = read_memory_bytes()
    results: dict[BenchInput, FileResult] = {}
    with (
        tempfile.TemporaryDirectory(prefix="weightzip-bench-") as folder,
        open_beside(beside, n_threads) as opened,
    ):
        wishes = _Wishes(level, n_threads, dict(zip(beside, opened, strict=True)))
        for checkpoint in dict.fromkeys(one.checkpoint for one in inputs):
            together = [one for one in inputs if one.checkpoint == checkpoint]
            results |= _measure_checkpoint(together, Path(folder, "archive"), wishes, show_progress)
    _, peak_memory_bytes = read_memory_bytes()
    files = tuple(results[one] for one in inputs)
    return BenchReport(measured_at, machine, n_threads, files, peak_memory_bytes, memory_before_bytes, level)


def _measure_checkpoint(
    inputs: Sequence[BenchInput], target: Path, wishes: _Wishes, show_progress: ShowProgress
) -> dict[BenchInput, FileResult]:
    results = {}
    with BesideFiles(wishes.n_threads) as beside:
        for one in sorted(inputs, key=_rank_input):
            with show_progress(one.source.name) as progress:
                result = _measure_file(one, beside, target, wishes, progress or ignore_progress)
            beside.offer(one.source, result.file_digest, leans=bool(result.beside))
            results[one] = result
    return results


def _rank_input(one: BenchInput) -> tuple[int, str]:
    with open_source(one.source) as source:
        return rank_file(source.size_bytes, one.source)


def _measure_file(
    one: BenchInput, beside: BesideFiles, target: Path, wishes: _Wishes, progress: Progress
) -> FileResult:
    n_threads, level = wishes.n_threads, wishes.level
    related = [*wishes.given.values(), *beside.files]
    with open_source(one.source) as source, open_base(one.base, n_threads) as base:
        written = compress_file(
            one.source,
            target,
            base=base,
            beside=related,
            level=level,
            n_threads=n_threads,
            verify=False,  # all of it is compared below
            force=True,
            progress=_take_share(progress, 0),
        )
        with open_archive(target, base=base, beside=related, n_threads=n_threads) as archive:
            parts = split_index(archive.index)
            encode = _time_rounds(
                source.size_bytes,
                partial(_encode, source, base, related, wishes),
                _take_share(progress, 1),
            )
            decode = _time_rounds(
                archive.index.file_bytes, partial(_decode, archive, n_threads), _take_share(progress, 2)
            )
        source.check_unchanged()  # or the comparison would blame the archive
        verified = verify_file(
            one.source,
            target,
            base=base,
            beside=related,
            n_threads=n_threads,
            progress=_take_share(progress, 3),
        )
    if verified.file_digest != written.file_digest:
        raise ContentDiffers(f"{one.source}: had digest {written.file_digest}, now {verified.file_digest}")
    tensors = [
        TensorResult(one.source, part.name, part.kind, part.shape, part.raw_bytes, part.stored_bytes)
        for part in parts
        if part.name is not None
    ]
    return FileResult(
        source=one.source,
        base=one.base,
        leans=written.base_digest is not None,
        beside=_find_paths(written.beside_digests, wishes, beside),
        raw_bytes=written.raw_bytes,
        stored_bytes=written.stored_bytes,
        kinds=sum_kinds(parts, written.stored_bytes),
        largest=pick_largest(tensors),
        encode=encode,
        decode=decode,
        file_digest=verified.file_digest,
    )


def _encode(
    source: FileSource,
    base: Predecessor | None,
    beside: Sequence[Predecessor],
    wishes: _Wishes,
    progress: Progress,
) -> None:
    """Encode a file with its digest, as compressing does, and drop what comes out."""
    digest, done_bytes = DigestBuilder(wishes.n_threads), 0
    backend = CpuBackend(wishes.n_threads)
    layout = read_layout(source, DirectorySurroundings(source.path))
    join = join_shard(source, layout, base, beside)
    frames = encode_shard(source, join, backend, level=wishes.level, verify=False, name=str(source.path))
    with closing(frames):
        for raw, frame in frames:
            digest.update(raw)
            done_bytes += len(raw)
            progress(done_bytes, layout.file_bytes)
            del raw, frame  # or they would live on while the next frame is encoded
    digest.digest()


def _decode(archive: Archive, n_threads: int, progress: Progress) -> None:
    """Restore a file, its digest proven, and drop what comes out."""
    walk_archive(archive, lambda offset, raw: None, n_threads, progress)


def _find_paths(digests: Sequence[str], wishes: _Wishes, beside: BesideFiles) -> tuple[Path, ...]:
    given = [path for path, file in wishes.given.items() if digests and file.digest.hex() in digests]
    return (*given, *beside.find_paths(digests))


def _time_rounds(raw_bytes: int, work: Callable[[Progress], None], progress: Progress) -> Timing:
    """Time some rounds of work. The first one alone moves the bar: how many will follow is not known by then."""
    disk_bytes_before = read_disk_bytes()
    seconds: list[float] = []
    while len(seconds) < _MAX_ROUNDS and sum(seconds) < _ENOUGH_SECONDS:
        started = time.perf_counter()
        work(ignore_progress if seconds else progress)
        seconds.append(time.perf_counter() - started)
    disk_bytes_after = read_disk_bytes()
    told = disk_bytes_before is not None and disk_bytes_after is not None
    return Timing(
        raw_bytes,
        statistics.median(seconds),
        len(seconds),
        (disk_bytes_after or 0) - (disk_bytes_before or 0) if told else None,
    )


def _take_share(progress: Progress, stage: int) -> Progress:
    """Return a callback for one of the four walks over a file, which all are one way to the reader of the bar."""
    return lambda done_bytes, total_bytes: progress((stage * total_bytes + done_bytes) // 4, total_bytes)
