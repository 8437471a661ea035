"""One entry of a checkpoint: a file, a directory or a symbolic link. Nothing here touches a disk."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

EntryKind = Literal["file", "directory", "symlink"]

MAX_SAVE_TIME_SECONDS = 253_402_300_799
"""The end of the year 9999, which is as far as dates go."""


@dataclass(frozen=True)
class TreeEntry:
    """Describe one entry as a scan of the tree saw it, before anybody read its bytes.

    `path` is relative to the checkpoint, with `/` between names; the checkpoint itself is `.`, a file or a
    directory. `mode` holds the permission bits (0 for a symlink, whose mode means nothing), `size_bytes` is 0
    unless the entry is a file, `target` is the text of a symlink and None otherwise. `twin_of` is the path of an
    earlier file of the checkpoint that is the same file under another name: a hard link.
    """

    path: str
    kind: EntryKind
    mode: int
    mtime_ns: int
    size_bytes: int = 0
    target: str | None = None
    twin_of: str | None = None


@dataclass(frozen=True)
class FileEntry(TreeEntry):
    """Describe one entry whose bytes were read: `digest` is the BLAKE3 of a file in hex, None for the others."""

    digest: str | None = None


def entry_order(entry: TreeEntry) -> tuple[bool, bytes]:
    """Return the sort key of an entry: the checkpoint itself first, every directory before what is in it."""
    return entry.path != ".", entry.path.encode()


def find_save_time(files: Iterable[tuple[int, int]]) -> int:
    """Return when a checkpoint was saved, in whole Unix seconds, from (size_bytes, mtime_ns) of its files.

    It is when the largest file was modified, the newest of equals: small files, such as the results of an
    evaluation, may join an old checkpoint later and do not make it the newest one. Without files, and for times
    before 1970, it is 0; no time is later than MAX_SAVE_TIME_SECONDS.
    """
    _, mtime_ns = max(files, default=(0, 0))
    return min(max(mtime_ns // 10**9, 0), MAX_SAVE_TIME_SECONDS)
