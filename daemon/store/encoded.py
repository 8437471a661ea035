"""A checkpoint between encoding and publishing: what `jobs` hands to the repository."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from weightzip.daemon.checkpoint import FileEntry, Tracker
from weightzip.daemon.store.manifest import ArchiveRecord


@dataclass(frozen=True)
class EncodedCheckpoint:
    """A checkpoint encoded and verified, not yet published.

    `archives` holds what a restore needs, chain included, by file digest; `new_archives` the local archive of each
    object digest that this encoding made, unless it was sent ahead. `predecessor` is the identity of the predecessor
    checkpoint if any archive leans on it. `trackers` stood beside the checkpoint and name it.
    """

    name: str
    step: int
    entries: tuple[FileEntry, ...]
    predecessor: str | None
    archives: Mapping[str, ArchiveRecord]
    new_archives: Mapping[str, Path]
    raw_bytes: int
    stored_bytes: int
    seconds: float
    trackers: tuple[Tracker, ...] = ()
