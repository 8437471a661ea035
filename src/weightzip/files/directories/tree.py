"""Directories of files and directories of archives: the same tree, every file with or without `.wzst`."""

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from weightzip.errors import ContentDiffers, NotFound, UsageError, WeightzipError
from weightzip.files.temporary import is_temporary

SUFFIX = ".wzst"
MANIFEST_NAME = "weightzip-manifest.json"
"""Lists what a directory of archives must hold; it is none itself."""


@dataclass(frozen=True)
class Tree:
    """What lies below a directory, by relative path in order: regular files, folders from `.` on, links and their text."""

    root: Path
    files: tuple[Path, ...]
    folders: tuple[Path, ...]
    links: Mapping[Path, str]


@dataclass(frozen=True)
class FilePair:
    """One file's way from one tree to the other, and its predecessor if there is one. `path` is relative to source's tree."""

    path: Path
    source: Path
    target: Path
    base: Path | None


def read_tree(root: Path) -> Tree:
    """Return what lies below root. Links are not followed, temporary files of ours are left out.

    Raises:
        NotFound: there is no such directory.
        UsageError: root is no directory, or holds what is neither file, folder nor link.
    """
    files, folders, links = [], [Path()], {}
    for path in list_tree(root):
        relative, mode = path.relative_to(root), path.lstat().st_mode
        if stat.S_ISLNK(mode):
            links[relative] = str(path.readlink())
        elif stat.S_ISDIR(mode):
            folders.append(relative)
        elif stat.S_ISREG(mode):
            files.append(relative)
        else:
            raise UsageError(f"{path}: is neither file, directory nor link")
    return Tree(root, tuple(files), tuple(folders), links)


def pair_files(tree: Tree, target: Path, base: Path | None, *, compressing: bool) -> list[FilePair]:
    """Return the files of a tree in order of path, each with its target and its predecessor.

    Raises:
        NotFound: there is no such base.
        UsageError: a file to restore is no archive by its name, or a folder or link has the name its target needs.
    """
    if base is not None and not base.is_dir():
        if not base.exists():
            raise NotFound(f"{base}: no such directory")
        raise UsageError(f"{base}: is no directory, but {tree.root} is one: --base needs a directory here")
    taken = {*tree.folders, *tree.links}
    if compressing and Path(MANIFEST_NAME) in taken:
        raise UsageError(f"{tree.root / MANIFEST_NAME}: has the name of the manifest of archives: rename it")
    pairs = []
    for relative in tree.files:
        path = tree.root / relative
        if compressing:
            restored, other = relative, add_suffix(relative)
        elif relative.suffix == SUFFIX:
            restored = other = relative.with_name(relative.name.removesuffix(SUFFIX))
        elif relative == Path(MANIFEST_NAME):
            continue
        else:
            raise UsageError(f"{path}: is no archive (its name does not end in {SUFFIX})")
        if other in taken:
            raise UsageError(f"{path}: would get the name of {tree.root / other}: rename one of them")
        pairs.append(FilePair(relative, path, target / other, _find_base(base, restored)))
    return pairs


def pair_archives(
    original: Tree, archives: Tree, base: Path | None
) -> tuple[list[FilePair], list[WeightzipError]]:
    """Return the files of a directory that have an archive, with it, and what is missing, left over or different.

    Raises:
        NotFound, UsageError: as in pair_files.
    """
    pairs, problems = [], list[WeightzipError]()
    for pair in pair_files(original, archives.root, base, compressing=True):
        if add_suffix(pair.path) in archives.files:
            pairs.append(pair)
        else:
            problems.append(NotFound(f"{pair.target}: no archive of {pair.source}"))
    expected = {pair.target for pair in pairs}
    for pair in pair_files(archives, original.root, None, compressing=False):
        if pair.source not in expected:
            problems.append(NotFound(f"{pair.target}: no original of {pair.source}"))
    for path, _ in sorted(_describe_frame(original) ^ _describe_frame(archives)):
        problems.append(
            ContentDiffers(f"{original.root / path}: folder or link differs from {archives.root / path}")
        )
    return pairs, problems


def add_suffix(path: Path) -> Path:
    """Return the path of the archive of a file."""
    return path.with_name(path.name + SUFFIX)


def list_tree(root: Path) -> list[Path]:
    """Return all that lies below root, in order of path; links are not followed, temporary files of ours left out.

    Not by Path.rglob: it passes over a folder that may not be read without a word.
    """
    if not root.is_dir():
        if root.exists():
            raise UsageError(f"{root}: is a file, a directory was expected")
        raise NotFound(f"{root}: no such directory")
    walk = os.walk(root, onerror=_raise_error)
    return sorted(
        Path(folder, name)
        for folder, folders, files in walk
        for name in (*folders, *(file for file in files if not is_temporary(file)))
    )


def list_files(root: Path) -> Iterator[Path]:
    """Yield the regular files below root, archives among them."""
    return (path for path in list_tree(root) if path.is_file() and not path.is_symlink())


def list_archives(root: Path) -> Iterator[Path]:
    """Yield the files below root that are archives by their names."""
    return (path for path in list_tree(root) if path.suffix == SUFFIX and path.is_file())


def _find_base(base: Path | None, relative: Path) -> Path | None:
    if base is None:
        return None
    candidates = (base / relative, base / add_suffix(relative))
    return next((path for path in candidates if path.is_file()), None)


def _raise_error(error: OSError) -> NoReturn:
    raise error


def _describe_frame(tree: Tree) -> set[tuple[Path, str]]:
    """Return every folder and, with what it says, every link."""
    return {(folder, "") for folder in tree.folders} | set(tree.links.items())
