"""Reads the trackers in the watched directory: a few small files, and where links point. Nothing stays open."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from weightzip.daemon.checkpoint import MAX_TRACKER_BYTES, TRACKER_FILES, Tracker


def read_trackers(root: Path) -> tuple[Tracker, ...]:
    """Return the tracker files, and the links that point to a neighbour of theirs, by its plain name.

    What cannot be read is left out: a tracker is replaced at any time, and says nothing then.

    Raises:
        OSError: the directory cannot be read.
    """
    try:
        with os.scandir(root) as listing:
            items = sorted(
                (item for item in listing if item.name in TRACKER_FILES or item.is_symlink()),
                key=lambda item: item.name,
            )
    except FileNotFoundError:
        return ()
    found = (
        _read_link(root, item.name) if item.is_symlink() else _read_file(root / item.name) for item in items
    )
    return tuple(tracker for tracker in found if tracker is not None)


def list_texts(trackers: tuple[Tracker, ...]) -> Mapping[str, str]:
    """Return what tracker files say, by their names, without blanks around it."""
    return {tracker.name: tracker.text.strip() for tracker in trackers if tracker.kind == "file"}


def _read_link(root: Path, name: str) -> Tracker | None:
    try:
        target = os.path.normpath(root / (root / name).readlink())
        mtime_ns = (root / name).lstat().st_mtime_ns
        target.encode()
        name.encode()
    except (OSError, UnicodeEncodeError):
        return None
    directory, neighbour = os.path.split(target)
    beside = directory in {os.path.normpath(root), os.path.realpath(root)}
    return Tracker(name, "symlink", neighbour, 0, mtime_ns) if beside and neighbour else None


def _read_file(path: Path) -> Tracker | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_TRACKER_BYTES:
            return None
        text = os.pread(descriptor, MAX_TRACKER_BYTES, 0).decode()
    except (OSError, UnicodeDecodeError):
        return None
    finally:
        os.close(descriptor)
    return Tracker(path.name, "file", text, stat.S_IMODE(status.st_mode), status.st_mtime_ns)
