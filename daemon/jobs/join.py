"""Which file of the predecessor a file is encoded against. Pure decisions over entries."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from weightzip.daemon.checkpoint import FileEntry, TreeEntry
from weightzip.daemon.layouts.names import strip_numbers

Entry = TypeVar("Entry", bound=TreeEntry)


def join_files(files: Sequence[TreeEntry], predecessor_files: Sequence[FileEntry]) -> Mapping[str, FileEntry]:
    """Pair files with the predecessor's files, by path, and return the pairs by path.

    A file without a namesake takes the one whose path differs in its numbers alone (`global_step200/x` after
    `global_step100/x`), if there is exactly one and no other file takes it.
    """
    by_path = {entry.path: entry for entry in predecessor_files}
    joined = {entry.path: by_path[entry.path] for entry in files if entry.path in by_path}
    free = _by_shape([entry for entry in predecessor_files if entry.path not in joined])
    for shape, wanting in _by_shape([entry for entry in files if entry.path not in joined]).items():
        offered = free.get(shape, [])
        if len(wanting) == len(offered) == 1:
            joined[wanting[0].path] = offered[0]
    return joined


def _by_shape(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    shapes: dict[str, list[Entry]] = {}
    for entry in entries:
        shapes.setdefault(strip_numbers(entry.path), []).append(entry)
    return shapes
