"""One look at the watched directory: every candidate with the attributes of its files. Nothing is opened for reading."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from weightzip.daemon.checkpoint import ROOT_PATH
from weightzip.daemon.layouts import FileSighting, Sighting
from weightzip.daemon.layouts.names import is_temporary, matches_any
from weightzip.daemon.layouts.sighting import SightingKind


def scan_source(root: Path, ignore: Iterable[str]) -> tuple[list[Sighting], frozenset[str]]:
    """Return the candidates directly below `root`, and all names there.

    Symbolic links are never followed. Entries that vanish during the look are left out: the next look differs,
    so the candidate is not quiet. What may not be read below `root` is an entry that says so: it keeps its own
    candidate from being complete, no other one. A `root` that does not exist (yet) is empty.

    Raises:
        OSError: the directory cannot be read.
    """
    patterns = tuple(ignore)
    try:
        with os.scandir(root) as listing:
            items = sorted(listing, key=lambda item: item.name)
    except FileNotFoundError:
        return [], frozenset()
    sightings = []
    for item in items:
        if is_temporary(item.name) or matches_any(item.name, patterns) or not _is_utf8(item.name):
            continue
        sighting = _look(item, patterns)
        if sighting is not None:
            sightings.append(sighting)
    return sightings, frozenset(item.name for item in items)


def look_at(root: Path, name: str, ignore: Iterable[str]) -> Sighting | None:
    """Return a fresh sighting of one candidate, None if it is gone."""
    found, _ = scan_source(root, ignore)
    return next((sighting for sighting in found if sighting.name == name), None)


def _look(item: "os.DirEntry[str]", ignore: tuple[str, ...]) -> Sighting | None:
    try:
        status = item.stat(follow_symlinks=False)
        if stat.S_ISREG(status.st_mode):
            return Sighting(item.name, "file", (_describe(ROOT_PATH, status),))
        if stat.S_ISDIR(status.st_mode):
            entries: list[FileSighting] = []
            temporaries: list[FileSighting] = []
            for entry, temporary in _walk(Path(item.path), "", ignore):
                (temporaries if temporary else entries).append(entry)
            return Sighting(item.name, "directory", _ordered(entries), _ordered(temporaries))
    except FileNotFoundError:
        return None
    return None


def _walk(
    directory: Path, prefix: str, ignore: tuple[str, ...], temporary: bool = False
) -> Iterator[tuple[FileSighting, bool]]:
    try:
        with os.scandir(directory) as listing:
            items = list(listing)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        yield _describe_unreadable(prefix.removesuffix("/") or ROOT_PATH), False
        return
    for item in items:
        if matches_any(item.name, ignore):
            continue
        try:
            status = item.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        except OSError:
            yield _describe_unreadable(prefix + item.name), False
            continue
        unfinished = temporary or is_temporary(item.name)
        yield _describe(prefix + item.name, status), unfinished
        if stat.S_ISDIR(status.st_mode):
            yield from _walk(Path(item.path), f"{prefix}{item.name}/", ignore, unfinished)


def _describe(path: str, status: os.stat_result) -> FileSighting:
    kind = _kind(status.st_mode)
    size_bytes = status.st_size if kind == "file" else 0
    return FileSighting(path, kind, status.st_ino, size_bytes, status.st_mtime_ns, status.st_ctime_ns)


def _describe_unreadable(path: str) -> FileSighting:
    return FileSighting(path, "unreadable", 0, 0, 0, 0)


def _kind(mode: int) -> SightingKind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "symlink" if stat.S_ISLNK(mode) else "other"


def _ordered(entries: list[FileSighting]) -> tuple[FileSighting, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.path))


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
