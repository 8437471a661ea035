"""The target directory of a restore: what is there already, the work room beside it, the last rename."""

import fcntl
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from weightzip.daemon.checkpoint import TreeEntry, hash_file, resolve_entry_path, scan_tree
from weightzip.daemon.disk import remove_tree, sync_path
from weightzip.daemon.store.manifest import Manifest
from weightzip.errors import DirectoryInUse, WeightzipError

WORKROOM_PREFIX = ".weightzip-restore-"
OBJECTS_NAME = "objects"
"""Objects that were fetched before a restore was killed; the next one goes on from there."""


@dataclass(frozen=True)
class Standing:
    """What already lies where a checkpoint shall go: `same` if it is that checkpoint, and its usable files by path."""

    exists: bool
    same: bool
    usable: Mapping[str, Path]


def is_empty_target(target: Path) -> bool:
    """Return whether a target directory holds nothing, or only the rest of a restore that was killed.

    Such a rest lies in the target only if there was no place for the work room beside it.
    """
    return not target.exists() or all(item.name.startswith(WORKROOM_PREFIX) for item in target.iterdir())


def inspect_standing(final: Path, manifest: Manifest) -> Standing:
    """Compare what lies at `final` with a checkpoint, hashing the files whose size fits."""
    if not os.path.lexists(final):
        return Standing(False, False, {})
    try:
        tree = {} if final.is_symlink() else {entry.path: entry for entry in scan_tree(final)}
    except WeightzipError:
        tree = {}  # it holds a socket, vanishes while we look, ...: it is not the checkpoint
    usable = {}
    for entry in manifest.files:
        found = tree.get(entry.path)
        path = resolve_entry_path(final, entry.path)
        if (
            found
            and found.kind == "file"
            and found.size_bytes == entry.size_bytes
            and hash_file(path) == entry.digest
        ):
            usable[entry.path] = path
    wanted = {_shape(entry) for entry in manifest.entries}
    same = len(usable) == len(manifest.files) and wanted == {_shape(entry) for entry in tree.values()}
    return Standing(True, same, usable)


def _shape(entry: TreeEntry) -> tuple[str, str, str | None]:
    return entry.path, entry.kind, entry.target


@contextmanager
def open_workroom(target: Path, name: str) -> Iterator[Path]:
    """Give a private directory for the restore of one name into `target`; it is gone afterwards.

    Its name is always the same, so that the next restore finds, and may use, what a killed one left.

    Raises:
        DirectoryInUse: another process restores this name into this target.
    """
    room = _make_workroom(target, name)
    lock_path = room / "lock"
    with lock_path.open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The holder before us may have removed the room between our open and our lock.
            locked = lock_path.exists() and lock_path.stat().st_ino == os.fstat(lock.fileno()).st_ino
        except BlockingIOError:
            locked = False
        if not locked:
            raise DirectoryInUse(f"another restore of {name!r} into {target} is running")
        try:
            for leftover in room.iterdir():
                if leftover.name not in {lock_path.name, OBJECTS_NAME}:
                    remove_tree(leftover)
            yield room
        finally:
            remove_tree(room)


def _make_workroom(target: Path, name: str) -> Path:
    """Make the work room, beside the target: trainers list, count and delete what they find in their own directory.

    Only if the directory above lies on another mount, may not be written, or holds something of that name that is not
    ours, the room is made inside the target.
    """
    target.mkdir(parents=True, exist_ok=True)
    target = target.resolve()
    room_name = WORKROOM_PREFIX + blake3(os.fsencode(target) + b"\0" + name.encode()).hexdigest()[:16]
    beside, inside = target.parent / room_name, target / room_name
    if not inside.exists() and target != target.parent and _can_work_in(beside, target):
        return beside
    inside.mkdir(mode=0o700, exist_ok=True)
    return inside


def _can_work_in(room: Path, target: Path) -> bool:
    """Make a room if it can serve a target: it is ours alone, and what is made in it can be renamed into the target."""
    try:
        room.mkdir(mode=0o700, exist_ok=True)
        status = room.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False
        room.chmod(0o700)
    except OSError:
        return False
    try:
        # The kernel compares the mounts before it looks for the file, so this asks without leaving a trace. The numbers
        # of the devices would not do: one file system may be mounted at both places.
        (room / "nothing").rename(target / room.name)
    except FileNotFoundError:
        return True
    except OSError:
        with suppress(OSError):
            room.rmdir()
        return False
    return False


def publish_tree(tree: Path, final: Path, room: Path) -> None:
    """Give a finished tree its name; what had the name moves into the work room first."""
    replaced = room / "replaced"
    if os.path.lexists(final):
        _move(final, replaced)
    try:
        _move(tree, final)
    except OSError:
        if os.path.lexists(replaced):
            _move(replaced, final)
        raise
    sync_path(final.parent)


def _move(source: Path, target: Path) -> None:
    """Rename into another directory; a directory must be writable for that, since its `..` changes."""
    if source.is_symlink() or not source.is_dir():
        source.rename(target)
        return
    mode = stat.S_IMODE(source.stat().st_mode)
    source.chmod(mode | stat.S_IRWXU)
    source.rename(target)
    target.chmod(mode)
    sync_path(target)
