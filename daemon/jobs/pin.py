"""Pins the files of one checkpoint: hard links where they work, copies where not. Never touches the originals.

A hard link survives deletion but not rewriting in place (same inode), so whoever reads a pin must look at its size
and time before and after: encode.py does.
"""

import errno
import os
import shutil
from pathlib import Path
from typing import Literal

from weightzip.daemon.checkpoint import ROOT_PATH, resolve_entry_path
from weightzip.daemon.disk import name_disk_full
from weightzip.daemon.layouts import FileSighting, Sighting
from weightzip.errors import SourceChanged

PinMethod = Literal["link", "copy"]
# Another file system, links not permitted, not owned by us (fs.protected_hardlinks), too many links, not supported.
_CANNOT_LINK = {errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.EOPNOTSUPP, errno.ENOSYS}


def pin_files(origin: Path, sighting: Sighting, tree: Path) -> PinMethod:
    """Reproduce at `tree` what `sighting` saw at `origin`, then check that the originals are still the same.

    Raises:
        SourceChanged: an entry vanished or is not what the sighting saw.
        DiskFull: copying was needed and there is no room.
    """
    how: PinMethod = "link"
    try:
        if sighting.kind == "directory":
            tree.mkdir()
        copies: dict[int, Path] = {}
        for entry in sighting.entries:
            if _pin_entry(origin, tree, entry, copies) == "copy":
                how = "copy"
        for entry in sighting.files:
            _check_unchanged(resolve_entry_path(origin, entry.path), entry)
        _copy_directory_attributes(origin, tree, sighting)
    except FileNotFoundError as error:
        raise SourceChanged(f"{error.filename} vanished while it was pinned") from error
    return how


def _pin_entry(origin: Path, tree: Path, entry: FileSighting, copies: dict[int, Path]) -> PinMethod:
    source, target = resolve_entry_path(origin, entry.path), resolve_entry_path(tree, entry.path)
    if entry.kind == "directory":
        target.mkdir()
        return "link"
    if entry.kind == "symlink":
        target.symlink_to(source.readlink())
        os.utime(target, ns=(entry.mtime_ns, entry.mtime_ns), follow_symlinks=False)
        return "link"
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _CANNOT_LINK:
            raise
        with name_disk_full(target):
            _copy_file(source, target, copies.get(entry.inode))
        copies[entry.inode] = target
        return "copy"
    # What we hold must be what we saw, even if the name was given to another file in between.
    _check_unchanged(target, entry)
    return "link"


def _copy_file(source: Path, target: Path, twin: Path | None) -> None:
    """Copy a file, or link to its twin that was copied before: two names of one file stay that."""
    if twin is None:
        shutil.copy2(source, target, follow_symlinks=False)
    else:
        os.link(twin, target)


def _check_unchanged(path: Path, entry: FileSighting) -> None:
    status = path.stat(follow_symlinks=False)
    # No ctime: our own link changed it.
    if (status.st_ino, status.st_size, status.st_mtime_ns) != (entry.inode, entry.size_bytes, entry.mtime_ns):
        raise SourceChanged(f"{path} changed while it was pinned")


def _copy_directory_attributes(origin: Path, tree: Path, sighting: Sighting) -> None:
    """Give the pinned directories the modes and times of the originals, innermost first; files keep their own."""
    if sighting.kind == "file":
        return
    paths = [entry.path for entry in sighting.entries if entry.kind == "directory"]
    for path in [*sorted(paths, key=lambda path: path.count("/"), reverse=True), ROOT_PATH]:
        status = resolve_entry_path(origin, path).stat(follow_symlinks=False)
        target = resolve_entry_path(tree, path)
        target.chmod(status.st_mode & 0o7777)
        os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
