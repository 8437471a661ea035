"""One look at a tree on a disk: every entry with its attributes, no bytes read."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from weightzip.daemon.checkpoint.entry import TreeEntry, entry_order
from weightzip.daemon.checkpoint.paths import ROOT_PATH, check_entry_path
from weightzip.errors import CorruptData, NotFound, SourceChanged, UsageError


def scan_tree(root: Path) -> tuple[TreeEntry, ...]:
    """List a checkpoint (a directory or one file): the checkpoint itself as `.` first, then all below it.

    Symbolic links below `root` are listed as links and never followed; `root` itself may be a link. Entries
    come in the order of their paths; of hard links to one file, the later ones are its twins. Nothing is opened.

    Raises:
        NotFound: there is nothing at `root`.
        SourceChanged: an entry vanished during the scan.
        UsageError: the tree holds a socket, device or pipe, or a name that is not UTF-8.
    """
    try:
        root_stat = root.stat()
    except FileNotFoundError as error:
        raise NotFound(f"{root}: no such file or directory") from error
    inodes: dict[str, tuple[int, int]] = {}
    entries = [_describe(root, ROOT_PATH, root_stat)]
    if stat.S_ISDIR(root_stat.st_mode):
        try:
            entries.extend(_walk(root, "", inodes))
        except FileNotFoundError as error:
            raise SourceChanged(f"{error.filename} vanished while {root} was listed") from error
    return tuple(_name_twins(sorted(entries, key=entry_order), inodes))


def _name_twins(entries: Iterable[TreeEntry], inodes: Mapping[str, tuple[int, int]]) -> Iterator[TreeEntry]:
    first: dict[tuple[int, int], str] = {}
    for entry in entries:
        inode = inodes.get(entry.path)
        earlier = first.setdefault(inode, entry.path) if inode is not None else entry.path
        yield entry if earlier == entry.path else replace(entry, twin_of=earlier)


def _walk(directory: Path, prefix: str, inodes: dict[str, tuple[int, int]]) -> Iterator[TreeEntry]:
    with os.scandir(directory) as listing:
        for item in listing:
            path = Path(item.path)
            status = item.stat(follow_symlinks=False)
            entry = _describe(path, prefix + item.name, status)
            if entry.kind == "file" and status.st_nlink > 1:
                inodes[entry.path] = status.st_dev, status.st_ino
            yield entry
            if entry.kind == "directory":
                yield from _walk(path, entry.path + "/", inodes)


def _describe(path: Path, relative: str, status: os.stat_result) -> TreeEntry:
    try:
        check_entry_path(relative)
        if stat.S_ISLNK(status.st_mode):
            target = str(path.readlink())
            target.encode()
            return TreeEntry(relative, "symlink", 0, status.st_mtime_ns, target=target)
    except (CorruptData, UnicodeEncodeError) as error:
        raise UsageError(f"{os.fsencode(path)!r} cannot be kept in a checkpoint: {error}") from error
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISDIR(status.st_mode):
        return TreeEntry(relative, "directory", mode, status.st_mtime_ns)
    if stat.S_ISREG(status.st_mode):
        return TreeEntry(relative, "file", mode, status.st_mtime_ns, status.st_size)
    raise UsageError(
        f"{path} is a socket, a device or a pipe: a checkpoint holds files, directories and links"
    )
