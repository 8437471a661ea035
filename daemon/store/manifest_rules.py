"""What a manifest must obey beyond its shape. Pure checks over plain data, raising ValueError for pydantic."""

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from weightzip.daemon.checkpoint import ROOT_PATH, FileEntry, Tracker, check_entry_path, check_tracker, paths
from weightzip.errors import CorruptData

MAX_CHAIN_DEPTH = 64
"""Most residual steps back to a keyframe. Decoding recurses from archive to archive, and Python's stack is finite."""


def check_name(name: str) -> None:
    """Refuse a checkpoint name that could leave the directory it is restored to."""
    try:
        paths.check_name(name)
    except CorruptData as error:
        raise ValueError(str(error)) from error


def check_entries(entries: Sequence[FileEntry]) -> None:
    """Refuse entries that do not form one tree: each path once, each parent a directory, never a link.

    With that no entry can be written through a symbolic link, wherever links point.
    """
    kinds: dict[str, str] = {}
    for entry in entries:
        try:
            check_entry_path(entry.path)
        except CorruptData as error:
            raise ValueError(str(error)) from error
        if entry.path in kinds:
            raise ValueError(f"path {entry.path!r} appears twice")
        kinds[entry.path] = entry.kind
        _check_fields(entry)
    if kinds.get(ROOT_PATH) not in {"file", "directory"}:
        raise ValueError("the checkpoint itself ('.') is missing, or is neither a file nor a directory")
    _check_twins(entries)
    for path in kinds:
        parent = path.rpartition("/")[0] or ROOT_PATH
        if path != ROOT_PATH and kinds.get(parent) != "directory":
            raise ValueError(f"path {path!r} has no parent directory among the entries")


def _check_twins(entries: Sequence[FileEntry]) -> None:
    """Refuse a twin of anything but a file of the same bytes that is no twin itself."""
    files = {entry.path: entry for entry in entries if entry.kind == "file" and entry.twin_of is None}
    for entry in entries:
        if entry.twin_of is not None:
            first = files.get(entry.twin_of)
            if entry.kind != "file" or first is None or first.digest != entry.digest:
                raise ValueError(f"{entry.path!r} is no twin of {entry.twin_of!r}")


def check_trackers(trackers: Sequence[Tracker], name: str, step: int) -> None:
    """Refuse trackers that do more than name the checkpoint, and two of one name."""
    for tracker in trackers:
        try:
            check_tracker(tracker, name, step)
        except CorruptData as error:
            raise ValueError(str(error)) from error
    if len({tracker.name for tracker in trackers}) != len(trackers):
        raise ValueError("a tracker appears twice")


def _check_fields(entry: FileEntry) -> None:
    if (entry.kind == "file") != (entry.digest is not None):
        raise ValueError(f"{entry.path!r}: a file has a digest, nothing else has")
    if (entry.kind == "symlink") != (entry.target is not None):
        raise ValueError(f"{entry.path!r}: a symlink has a target, nothing else has")
    if entry.kind != "file" and entry.size_bytes:
        raise ValueError(f"{entry.path!r}: only a file has a size")
    if entry.target is not None and (not entry.target or "\0" in entry.target):
        raise ValueError(f"{entry.path!r}: a symlink target is not empty and holds no NUL")


def depth_by_digest(predecessors: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return how many residual steps lie between each file and its keyframe, by the longest way.

    Raises:
        ValueError: a predecessor is not among the files, or a chain runs in a circle or is too deep.
    """
    for digest, others in predecessors.items():
        for other in others:
            if other not in predecessors:
                raise ValueError(f"file {digest} leans on {other}, which has no archive here")
    depths: dict[str, int] = {}
    try:
        for digest in TopologicalSorter(predecessors).static_order():
            depths[digest] = max((depths[other] + 1 for other in predecessors[digest]), default=0)
    except CycleError as error:
        raise ValueError(f"the chain of file {error.args[1][0]} runs in a circle") from error
    deepest = max(depths, key=depths.__getitem__, default="")
    if depths.get(deepest, 0) > MAX_CHAIN_DEPTH:
        raise ValueError(f"the chain of file {deepest} is deeper than {MAX_CHAIN_DEPTH} residual steps")
    return depths


def check_beside(predecessors: Mapping[str, Sequence[str]], beside: Mapping[str, Sequence[str]]) -> None:
    """Refuse files that lean on a file beside them that leans on one itself, or whose predecessors do.

    So no circle is possible, and nothing lies deeper than one step more than its chain. The chains are sound already.

    Raises:
        ValueError: as said, or there is no archive of a file that is leaned on.
    """
    leaning: dict[str, bool] = {}
    for digest in TopologicalSorter(predecessors).static_order():
        leaning[digest] = bool(beside[digest]) or any(leaning[other] for other in predecessors[digest])
    for digest, others in beside.items():
        for other in others:
            if other not in predecessors:
                raise ValueError(f"file {digest} leans on {other}, which has no archive here")
            if leaning[other]:
                raise ValueError(f"file {digest} leans on {other} beside it, which leans on another one")
