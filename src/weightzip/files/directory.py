"""Directories of files and directories of archives: the same tree, every file with or without `.wzst`."""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from weightzip.errors import NotFound, TargetExists, UsageError

SUFFIX = ".wzst"


@dataclass(frozen=True)
class FilePair:
    """One file's way from one tree to the other, and its predecessor if there is one."""

    source: Path
    target: Path
    base: Path | None


@contextmanager
def prepare_directory(source: Path, target: Path, *, force: bool) -> Iterator[None]:
    """Make target's folders and links like those of source; when the block ends well, give them its modes and times.

    Raises:
        TargetExists: target holds something and force is False.
        UsageError: target lies within source, or source holds what is neither file, folder nor link.
    """
    if target.resolve().is_relative_to(source.resolve()):
        raise UsageError(f"{target}: lies within {source}")
    if not force and target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise TargetExists(f"{target}: already exists and is not empty")
    folders, links = _list_folders_and_links(source)
    for folder in folders:
        (target / folder).mkdir(parents=True, exist_ok=True)
    for link in links:
        _copy_link(source / link, target / link, force=force)
    yield
    for folder in reversed(folders):  # children first: writing them changes their parents' times
        shutil.copystat(source / folder, target / folder)


def pair_files(source: Path, target: Path, base: Path | None, *, compressing: bool) -> Iterator[FilePair]:
    """Yield the regular files of source in order of path, each with its target and its predecessor.

    Raises:
        UsageError: a file to restore is no archive by its name.
    """
    if base is not None and not base.is_dir():
        raise UsageError(f"{base}: is no directory, but {source} is one: --base needs a directory here")
    for path in sorted(source.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        relative = path.relative_to(source)
        if compressing:
            restored, other = relative, relative.with_name(relative.name + SUFFIX)
        elif relative.suffix == SUFFIX:
            restored = other = relative.with_name(relative.name.removesuffix(SUFFIX))
        else:
            raise UsageError(f"{path}: is no archive (its name does not end in {SUFFIX})")
        yield FilePair(path, target / other, _find_base(base, restored))


def pair_archives(original: Path, archives: Path, base: Path | None) -> Iterator[FilePair]:
    """Yield every file of original with its archive; then prove that no archive is left over.

    Raises:
        NotFound: an archive or an original is missing.
    """
    expected = set()
    for pair in pair_files(original, archives, base, compressing=True):
        if not pair.target.is_file():
            raise NotFound(f"{pair.target}: no archive of {pair.source}")
        expected.add(pair.target)
        yield pair
    for pair in pair_files(archives, original, None, compressing=False):
        if pair.source not in expected:
            raise NotFound(f"{pair.target}: no original of {pair.source}")


def _find_base(base: Path | None, relative: Path) -> Path | None:
    if base is None:
        return None
    raw, archive = base / relative, base / relative.with_name(relative.name + SUFFIX)
    return next((path for path in (raw, archive) if path.is_file()), None)


def _list_folders_and_links(source: Path) -> tuple[list[Path], list[Path]]:
    if not source.is_dir():
        raise NotFound(f"{source}: no such directory")
    folders, links = [Path()], []
    for path in sorted(source.rglob("*")):
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            links.append(path.relative_to(source))
        elif stat.S_ISDIR(mode):
            folders.append(path.relative_to(source))
        elif not stat.S_ISREG(mode):
            raise UsageError(f"{path}: is neither file, directory nor link")
    return folders, links


def _copy_link(source: Path, target: Path, *, force: bool) -> None:
    if os.path.lexists(target):
        if not force:
            raise TargetExists(f"{target}: already exists")
        target.unlink()
    target.symlink_to(source.readlink())
