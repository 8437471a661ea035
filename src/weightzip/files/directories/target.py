"""The directory that is being filled: what may stand in it, what must go, its folders, links, modes and times."""

import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from weightzip.errors import TargetExists, UsageError
from weightzip.files.directories.tree import MANIFEST_NAME, Tree, list_tree
from weightzip.files.temporary import sweep_temporaries


def check_place(target: Path, source: Path, others: Iterable[Path]) -> None:
    """Raise UsageError if target cannot take a directory: it lies within the source, or holds what is read."""
    place = Path(os.path.realpath(target))
    if place.is_relative_to(os.path.realpath(source)):
        raise UsageError(f"{target}: lies within {source}")
    if os.path.lexists(target) and not target.is_dir():
        raise UsageError(f"{target}: is no directory, but {source} is one")
    for one in (source, *others):
        if Path(os.path.realpath(one)).is_relative_to(place):
            raise UsageError(f"{target}: holds {one}, which is read: name another target")


def list_standing(tree: Tree, target: Path, files: Collection[Path]) -> list[Path]:
    """Return which of the files stand in target already; remove what killed processes left there.

    Raises:
        TargetExists: something stands there that has no place in a tree of these files.
    """
    standing = []
    for path in _list_swept(target):
        if path in files and path.is_file() and not path.is_symlink():
            standing.append(path)
        elif not _is_frame(tree, path, path.relative_to(target)):
            raise TargetExists(f"{path}: already exists, and has no place in what shall lie in {target}")
    return standing


def clear_directory(tree: Tree, target: Path, files: Collection[Path]) -> None:
    """Remove from target what has no place in a tree of these files; the files themselves are replaced one by one."""
    standing = _list_swept(target)
    manifest = target / MANIFEST_NAME
    if manifest in standing and manifest.is_file():
        manifest.unlink()  # first of all: what it says is true no longer
    for path in reversed(standing):  # children first
        if path.is_dir() and not path.is_symlink():
            if path.relative_to(target) not in tree.folders:
                path.rmdir()
        elif path.is_symlink() or path not in files:
            path.unlink(missing_ok=True)


@contextmanager
def fill_directory(tree: Tree, target: Path) -> Iterator[None]:
    """Make target's folders and links like those of a tree; when the block ends well, give them its modes and times.

    When the block fails, folders that hold nothing and links that were made for it go again.
    """
    made: list[Path] = []
    try:
        _make_frame(tree, target, made)
        yield
    except BaseException:
        for path in reversed(made):
            with suppress(OSError):  # it holds something, or is gone
                path.unlink() if path.is_symlink() else path.rmdir()
        raise
    for folder in reversed(tree.folders):  # children first: writing them changes their parents' times
        shutil.copystat(tree.root / folder, target / folder)


def _make_frame(tree: Tree, target: Path, made: list[Path]) -> None:
    for path in (*reversed(target.parents), *(target / folder for folder in tree.folders)):
        if not path.is_dir():
            path.mkdir()
            made.append(path)
    for link, text in tree.links.items():
        path = target / link
        if not path.is_symlink():
            path.symlink_to(text)
            made.append(path)


def _is_frame(tree: Tree, path: Path, relative: Path) -> bool:
    """Return whether what stands at a path is a folder or link of the tree."""
    if path.is_symlink():
        return tree.links.get(relative) == str(path.readlink())
    return path.is_dir() and relative in tree.folders


def _list_swept(target: Path) -> list[Path]:
    if not target.exists():
        return []
    for path in (target, *list_tree(target)):
        if path.is_dir() and not path.is_symlink():
            sweep_temporaries(path)
    return list_tree(target)
