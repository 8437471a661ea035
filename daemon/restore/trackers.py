"""Puts a restored checkpoint's trackers beside it, so that the trainer finds it. Always after the checkpoint itself."""

import os
import stat
from pathlib import Path

from weightzip.daemon.checkpoint import MAX_TRACKER_BYTES, Tracker, find_save_time, scan_tree
from weightzip.daemon.checkpoint.paths import check_name
from weightzip.daemon.disk import remove_tree, sync_path
from weightzip.daemon.layouts.names import read_step, strip_numbers
from weightzip.daemon.store.manifest import Manifest
from weightzip.errors import WeightzipError

_FILE_MODE_MASK = 0o666  # no tracker is a program


def list_unwritten_trackers(manifest: Manifest, target: Path) -> tuple[Tracker, ...]:
    """Return the trackers that are to be written into `target`.

    Left as they are: those that name the checkpoint already, those that name one that was saved later and stands in
    `target`, and whatever of their name is no tracker.
    """
    return tuple(tracker for tracker in manifest.trackers if _is_wanted(tracker, manifest, target))


def write_tracker(tracker: Tracker, target: Path, room: Path) -> None:
    """Write one tracker into `target`, at once and durably, by way of the work room."""
    temporary = room / "tracker"
    remove_tree(temporary)
    if tracker.kind == "symlink":
        temporary.symlink_to(tracker.text)
        os.utime(temporary, ns=(tracker.mtime_ns, tracker.mtime_ns), follow_symlinks=False)
    else:
        temporary.write_text(tracker.text, encoding="utf-8")
        os.utime(temporary, ns=(tracker.mtime_ns, tracker.mtime_ns))
        temporary.chmod(tracker.mode & _FILE_MODE_MASK)
        sync_path(temporary)
    temporary.rename(target / tracker.name)
    sync_path(target)


def _is_wanted(tracker: Tracker, manifest: Manifest, target: Path) -> bool:
    path = target / tracker.name
    try:
        status = path.lstat()
    except FileNotFoundError:
        return True
    if tracker.kind == "symlink":
        if not stat.S_ISLNK(status.st_mode):
            return False
        standing = str(path.readlink())
    elif not stat.S_ISREG(status.st_mode) or status.st_size > MAX_TRACKER_BYTES:
        return False
    else:
        standing = path.read_bytes().decode(errors="replace")
    return standing.strip() != tracker.text.strip() and not _names_newer(standing.strip(), manifest, target)


def _names_newer(text: str, manifest: Manifest, target: Path) -> bool:
    """Say whether a standing tracker names a checkpoint in `target` that was saved after this one."""
    try:
        name = check_name(Path(text).name)
        if name.isdecimal():
            name = _find_by_step(int(name), manifest, target) or manifest.name
        if name == manifest.name:
            return False
        tree = scan_tree(target / name)
    except WeightzipError:
        return False
    saved_at = find_save_time((entry.size_bytes, entry.mtime_ns) for entry in tree if entry.kind == "file")
    return saved_at > manifest.saved_at_seconds


def _find_by_step(step: int, manifest: Manifest, target: Path) -> str | None:
    """Return the checkpoint of a step, named as this one is."""
    family = strip_numbers(manifest.name)
    kin = (item.name for item in target.iterdir() if strip_numbers(item.name) == family)
    return next((name for name in kin if read_step(name) == step), None)
