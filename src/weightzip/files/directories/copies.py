"""Files without tensors that equal one before: they lean on it whole, since they have no names to be paired by."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from weightzip.codec.predecessor import FilePredecessor
from weightzip.files.reports import CompressReport

# An archive that leans on another file takes about this much anyway.
_MIN_BYTES = 4096


class Copies:
    """The files of a checkpoint that were compressed, by size and digest."""

    def __init__(self, n_threads: int) -> None:
        self._n_threads = n_threads
        self._by_size: dict[int, dict[str, Path]] = {}

    def offer(self, report: CompressReport) -> None:
        """Take a file, unless it has tensors, is tiny, or equals one that was taken."""
        if report.n_tensors == 0 and report.raw_bytes >= _MIN_BYTES:
            self._by_size.setdefault(report.raw_bytes, {}).setdefault(report.file_digest, report.source)

    def find(self, path: Path) -> FilePredecessor | None:
        """Return the file that this one equals, open, None if there is none. Reads it if there is one of its size."""
        alike: Mapping[str, Path] = self._by_size.get(path.stat().st_size, {})
        if not alike:
            return None
        with closing(FilePredecessor(path, n_threads=self._n_threads)) as file:
            digest = file.digest
        earlier = alike.get(digest.hex())
        return FilePredecessor(earlier, n_threads=self._n_threads, digest=digest) if earlier else None
