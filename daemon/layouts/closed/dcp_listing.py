"""What each `.metadata` of a distributed checkpoint says of the files beside it: their names and sizes."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from weightzip.codec.containers.pickles import DcpItem, read_dcp_metadata
from weightzip.daemon.checkpoint import resolve_entry_path
from weightzip.daemon.layouts.closed.pickle_file import CUT_OFF, is_cut_off
from weightzip.daemon.layouts.sighting import FileSighting, Sighting

_METADATA = ".metadata"
_SHARD = ".distcp"
_MAX_METADATA_BYTES = 128 << 20


def read_dcp_listings(root: Path, sighting: Sighting) -> tuple[str | None, Mapping[str, frozenset[str]]]:
    """Return the first file whose size is not what its `.metadata` says, and which files each `.metadata` names.

    A `.metadata` that is whole and that no reader understands names none.
    """
    named: dict[str, frozenset[str]] = {}
    for folder, files in sighting.folders.items():
        for name, entry in files.items():
            if not name.endswith(_METADATA) or entry.size_bytes > _MAX_METADATA_BYTES:
                continue
            try:
                problem, items = _read_items(resolve_entry_path(root, folder + name))
            except OSError as error:
                problem, items = f"cannot be read: {error.strerror}", ()
            if problem is None:
                problem = _find_size_problem(name, items, files)
                named[folder + name] = frozenset(
                    item.file_name for item in items if "/" not in item.file_name
                )
            if problem is not None:
                return f"{folder}{name} {problem}", {}
    return None, named


def _read_items(path: Path) -> tuple[str | None, tuple[DcpItem, ...]]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        data = os.pread(descriptor, _MAX_METADATA_BYTES, 0)
    finally:
        os.close(descriptor)
    metadata = read_dcp_metadata(data)
    if metadata is not None:
        return None, metadata.items
    return (CUT_OFF if is_cut_off(data) else None), ()


def _find_size_problem(name: str, items: Iterable[DcpItem], files: Mapping[str, FileSighting]) -> str | None:
    """Say which file has another size than its items have together; files that are missing are not looked at here."""
    extents: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for item in items:
        if item.file_name.endswith(_SHARD) and item.file_name in files:
            extents[item.file_name].append((item.offset, item.n_bytes))
    for file_name, parts in sorted(extents.items()):
        end = 0
        for offset, n_bytes in sorted(parts):
            if offset != end:
                return f"names items of {file_name} that do not tile it at byte {end}"
            end += n_bytes
        size_bytes = files[file_name].size_bytes
        if end != size_bytes:
            return f"says that {file_name} has {end} bytes, it has {size_bytes}"
    return None
