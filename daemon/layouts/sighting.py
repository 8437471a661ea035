"""What one look at the watched directory saw of one possible checkpoint. Pure data; the looking is watch/scan.py's."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from weightzip.daemon.checkpoint import find_save_time

SightingKind = Literal["file", "directory", "symlink", "other", "unreadable"]


@dataclass(frozen=True)
class FileSighting:
    """One entry below a candidate; `path` is relative to it with `/` between names, `.` for the candidate itself.

    `unreadable` is a directory that may not be read, or an entry of one that may not be searched.
    """

    path: str
    kind: SightingKind
    inode: int
    size_bytes: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True)
class Sighting:
    """One candidate: a directory or a file directly below the watched directory.

    `entries` are what would be kept. `temporaries` are a writer's unfinished files: never kept, but as long as
    they change somebody is still writing.
    """

    name: str
    kind: Literal["file", "directory"]
    entries: tuple[FileSighting, ...]
    temporaries: tuple[FileSighting, ...] = ()

    @cached_property
    def fingerprint(self) -> tuple[FileSighting, ...]:
        """Return what must stay the same for the candidate to be quiet."""
        return self.entries + self.temporaries

    @cached_property
    def files(self) -> tuple[FileSighting, ...]:
        """Return the regular files."""
        return tuple(entry for entry in self.entries if entry.kind == "file")

    @cached_property
    def paths(self) -> frozenset[str]:
        """Return the relative paths of the regular files."""
        return frozenset(entry.path for entry in self.files)

    @cached_property
    def folders(self) -> Mapping[str, Mapping[str, FileSighting]]:
        """Return the regular files by directory (empty, or with a `/` at its end) and name."""
        folders: dict[str, dict[str, FileSighting]] = {}
        for entry in self.files:
            folder, slash, name = entry.path.rpartition("/")
            folders.setdefault(folder + slash, {})[name] = entry
        return folders

    @cached_property
    def size_bytes(self) -> int:
        """Return the bytes of all files together."""
        return sum(entry.size_bytes for entry in self.files)

    @cached_property
    def saved_at_seconds(self) -> int:
        """Return when it was saved, in Unix time, as its manifest will tell it."""
        return find_save_time((entry.size_bytes, entry.mtime_ns) for entry in self.files)

    @cached_property
    def newest_mtime_ns(self) -> int:
        """Return the newest modification time of a file; 0 without files."""
        return max((entry.mtime_ns for entry in self.files), default=0)
