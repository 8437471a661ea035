"""What an earlier, interrupted run left in a target directory: taken over if it is what this run would make."""

import time
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path

from weightzip.codec.archive_info import ArchiveInfo
from weightzip.codec.format.data_frame import Method
from weightzip.codec.format.frame import FRAME_HEADER_BYTES
from weightzip.codec.predecessor import FilePredecessor
from weightzip.codec.reader import Archive
from weightzip.errors import CorruptData, TargetExists, UnsupportedVersion
from weightzip.files.directories.bases import BaseDirectory
from weightzip.files.directories.tree import FilePair
from weightzip.files.opening import open_alone, open_source
from weightzip.files.reports import CompressReport, DecompressReport


def find_kept_archives(
    pairs: Sequence[FilePair], standing: Collection[Path], bases: BaseDirectory, n_threads: int
) -> dict[Path, CompressReport]:
    """Return the reports of archives that stand already, by path. `pairs` come in the order of work.

    Each is of its source as it is now, by size, time and digest, and leans only on those before it and on the bases.

    Raises:
        TargetExists: an archive stands there that is not so.
    """
    kept: dict[Path, CompressReport] = {}
    before: set[str] = set()
    for pair in pairs:
        if pair.target in standing:
            started = time.monotonic()
            with _open_standing(pair.target) as archive:
                info, by_method = archive.info, _sum_methods(archive)
            _check_same(pair.target, pair.source, pair.source, info, pair.target, n_threads)
            elsewhere = [one for one in info.needed if one.digest not in before]
            if not all(map(bases.holds, elsewhere)):
                raise TargetExists(f"{pair.target}: already exists, and leans on a file that was not given")
            base_digest = None if pair.base is None else bases.read_digest(pair.base)
            digests = [one.digest for one in elsewhere]
            kept[pair.target] = CompressReport(
                source=pair.source,
                target=pair.target,
                raw_bytes=info.file_bytes,
                stored_bytes=info.archive_bytes,
                file_digest=info.file_digest,
                archive_digest=_hash(pair.target, n_threads),
                base_digest=base_digest if base_digest in digests else None,
                moved_digests=tuple(digest for digest in digests if digest != base_digest),
                beside_digests=tuple(digest for digest in info.needed_digests if digest in before),
                n_tensors=info.n_tensors,
                stored_bytes_by_method=by_method,
                seconds=time.monotonic() - started,
                was_there=True,
            )
            before.add(info.file_digest)
    return kept


def find_kept_files(
    pairs: Sequence[FilePair], standing: Collection[Path], n_threads: int
) -> dict[Path, DecompressReport]:
    """Return the reports of restored files that stand already, by the path of the archive.

    Raises:
        TargetExists: a file stands there that is not what its archive restores, by size, time and digest.
    """
    kept = {}
    for pair in pairs:
        if pair.target in standing:
            started = time.monotonic()
            with _open_standing(pair.source, pair.target) as archive:
                info = archive.info
            _check_same(pair.target, pair.target, pair.source, info, pair.source, n_threads)
            kept[pair.source] = DecompressReport(
                archive=pair.source,
                target=pair.target,
                raw_bytes=info.file_bytes,
                stored_bytes=info.archive_bytes,
                file_digest=info.file_digest,
                needed_digests=info.needed_digests,
                seconds=time.monotonic() - started,
                was_there=True,
            )
    return kept


def _open_standing(archive: Path, standing: Path | None = None) -> Archive:
    try:
        return open_alone(archive)
    except (CorruptData, UnsupportedVersion) as error:
        raise TargetExists(
            f"{standing or archive}: already exists, and nobody can tell what it is: {error}"
        ) from error


def _check_same(
    standing: Path, raw: Path, other: Path, info: ArchiveInfo, archive: Path, n_threads: int
) -> None:
    """Raise TargetExists unless a raw file has the size, time and digest that its archive has for it."""
    with open_source(raw) as source:
        facts = (source.size_bytes, source.stat.st_mtime_ns)
    if facts == (info.file_bytes, archive.stat().st_mtime_ns) and _hash(raw, n_threads) == info.file_digest:
        return
    raise TargetExists(f"{standing}: already exists, and does not agree with {other}")


def _hash(path: Path, n_threads: int) -> str:
    with closing(FilePredecessor(path, n_threads=n_threads)) as file:
        return file.digest.hex()


def _sum_methods(archive: Archive) -> dict[str, int]:
    sums: Counter[str] = Counter()
    frames = archive.index.frames
    for number in range(len(frames)):
        row = frames.row(number)
        sums[Method(row.facts.method).name.lower()] += row.frame_bytes - FRAME_HEADER_BYTES
    return dict(sums)
