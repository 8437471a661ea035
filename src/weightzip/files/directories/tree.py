"""Directories of files and directories of archives: the same tree, every file with or without `.wzst`."""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from weightzip.errors import ContentDiffers, NotFound, TargetExists, UsageError

SUFFIX = ".wzst"


@dataclass(frozen=True)
class FilePair:
    """One file's way from one tree to the other, and its predecessor if there is one. `path` is relative to source's tree."""

    path: Path
    source: Path
    target: Path
    base: Path | None


@contextmanager
def prepare_directory(source: Path, target: Path, *, force: bool) -> Iterator[None]:
    """Make target's folders and links like those of source; when the block ends well, give them its modes and times.

    Raises:
        TargetExists: target holds something and force is False.
        UsageError: target lies within source or is no directory, or source holds what is neither file, folder nor
            link.
    """
    if Path(os.path.realpath(target)).is_relative_to(os.path.realpath(source)):
        raise UsageError(f"{target}: lies within {source}")
    if os.path.lexists(target) and not target.is_dir():
        raise UsageError(f"{target}: is no directory, but {source} is one")
    if not force and target.exists() and any(target.iterdir()):
        raise TargetExists(f"{target}: already exists and is not empty")
    folders, links = _list_folders_and_links(source)
    for folder in folders:
        _make_folder(target, folder)
    for link in links:
        _copy_link(source / link, target / link, force=force)
    yield
    for folder in reversed(folders):  # children first: writing them changes their parents' times
        shutil.copystat(source / folder, target / folder)


def pair_files(source: Path, target: Path, base: Path | None, *, compressing: bool) -> Iterator[FilePair]:
    """Yield the regular files of source in order of path, each with its target and its predecessor.

    Raises:
        UsageError: a file to restore is no archive by its name, or a folder or link has the name its target needs.
    """
    if base is not None and not base.is_dir():
        raise UsageError(f"{base}: is no directory, but {source} is one: --base needs a directory here")
    files = list(list_files(source))
    taken = {path.relative_to(source) for path in set(_list_tree(source)).difference(files)}
    for path in files:
        relative = path.relative_to(source)
        if compressing:
            restored, other = relative, relative.with_name(relative.name + SUFFIX)
        elif relative.suffix == SUFFIX:
            restored = other = relative.with_name(relative.name.removesuffix(SUFFIX))
        else:
            raise UsageError(f"{path}: is no archive (its name does not end in {SUFFIX})")
        if other in taken:
            raise UsageError(f"{path}: would get the name of {source / other}: rename one of them")
        yield FilePair(relative, path, target / other, _find_base(base, restored))


def pair_archives(original: Path, archives: Path, base: Path | None) -> Iterator[FilePair]:
    """Yield every file of original with its archive; then prove that nothing else is missing or left over.

    Raises:
        NotFound: an archive or an original is missing.
        ContentDiffers: folders or links differ.
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
    for path, _ in sorted(_describe_frame(original) ^ _describe_frame(archives)):
        raise ContentDiffers(f"{original / path}: folder or link differs from {archives / path}")


def list_files(root: Path) -> Iterator[Path]:
    """Yield the regular files below root, archives among them."""
    return (path for path in _list_tree(root) if path.is_file() and not path.is_symlink())


def list_archives(root: Path) -> Iterator[Path]:
    """Yield the files below root that are archives by their names."""
    return (path for path in _list_tree(root) if path.suffix == SUFFIX and path.is_file())


def _find_base(base: Path | None, relative: Path) -> Path | None:
    if base is None:
        return None
    raw, archive = base / relative, base / relative.with_name(relative.name + SUFFIX)
    return next((path for path in (raw, archive) if path.is_file()), None)


def _list_tree(root: Path) -> list[Path]:
    """Return all that lies below root, in order of path; links are listed, not followed.

    Not by Path.rglob: it passes over a folder that may not be read without a word.
    """
    if not root.is_dir():
        raise NotFound(f"{root}: no such directory")
    walk = os.walk(root, onerror=_raise_error)
    return sorted(Path(folder, name) for folder, folders, files in walk for name in (*folders, *files))


def _raise_error(error: OSError) -> NoReturn:
    raise error


def _list_folders_and_links(source: Path) -> tuple[list[Path], list[Path]]:
    folders, links = [Path()], []
    for path in _list_tree(source):
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            links.append(path.relative_to(source))
        elif stat.S_ISDIR(mode):
            folders.append(path.relative_to(source))
        elif not stat.S_ISREG(mode):
            raise UsageError(f"{path}: is neither file, directory nor link")
    return folders, links


def _describe_frame(root: Path) -> set[tuple[Path, str]]:
    """Return every folder and, with what it says, every link below root."""
    folders, links = _list_folders_and_links(root)
    return {(folder, "") for folder in folders} | {(link, str((root / link).readlink())) for link in links}


def _make_folder(target: Path, folder: Path) -> None:
    path = target / folder
    if folder.parts and path.is_symlink():  # what is written through it would land outside of target
        path.unlink()
    path.mkdir(parents=True, exist_ok=True)


def _copy_link(source: Path, target: Path, *, force: bool) -> None:
    if os.path.lexists(target):
        if not force:
            raise TargetExists(f"{target}: already exists")
        target.unlink()
    target.symlink_to(source.readlink())
