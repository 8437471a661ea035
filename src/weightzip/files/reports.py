"""What the file operations report back."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

Progress = Callable[[int, int], None]
"""Called with (done_bytes, total_bytes) of the shard, from the calling thread, after every frame."""

ShowProgress = Callable[[str], AbstractContextManager[Progress | None]]
"""Yields what is called with the progress of the file of that name."""


def ignore_progress(done_bytes: int, total_bytes: int) -> None:
    """Stand in where nobody watches."""


def ignore_report(report: object) -> None:
    """Stand in where nobody waits for the report of a single file."""


def show_nothing(name: str) -> AbstractContextManager[Progress | None]:
    """Stand in where nobody watches the files of a directory."""
    return nullcontext()


@dataclass(frozen=True)
class CompressReport:
    """One shard compressed. Digests are BLAKE3 in hex.

    `base_digest` is None when no frame leans on the predecessor's file; `moved_digests` are those of its other files
    that frames lean on, `beside_digests` those of files that were saved with this one. With none of them, the archive
    restores alone.
    `was_there`: an earlier run had published it, and it was taken over.
    `stored_bytes_by_method` splits the frames' stored bytes by method (header, index and footer are not in it).
    """

    source: Path
    target: Path
    raw_bytes: int
    stored_bytes: int
    file_digest: str
    archive_digest: str
    base_digest: str | None
    moved_digests: tuple[str, ...]
    beside_digests: tuple[str, ...]
    n_tensors: int
    stored_bytes_by_method: Mapping[str, int]
    seconds: float
    was_there: bool = False


@dataclass(frozen=True)
class DecompressReport:
    """One shard restored and proven against its recorded digest. `needed_digests`: of the files that it leans on.

    `was_there`: an earlier run had restored it; its digest was proven all the same.
    """

    archive: Path
    target: Path
    raw_bytes: int
    stored_bytes: int
    file_digest: str
    needed_digests: tuple[str, ...]
    seconds: float
    was_there: bool = False


@dataclass(frozen=True)
class VerifyReport:
    """One archive proven to restore to `file_digest`, and to equal `original` if there is one."""

    archive: Path
    original: Path | None
    raw_bytes: int
    stored_bytes: int
    file_digest: str
    needed_digests: tuple[str, ...]
    n_frames: int
    seconds: float


@dataclass(frozen=True)
class StreamReport:
    """One shard restored from a pipe."""

    raw_bytes: int
    stored_bytes: int
    file_digest: str
    needed_digests: tuple[str, ...]
