"""Small steps on a local disk, durable ones and thorough ones, and what it refuses in the words of this project."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from weightzip.errors import DiskFull, DiskUnusable

FULL_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def sync_path(path: Path) -> None:
    """Make a file's bytes, or a directory's names, outlast a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_durably(path: Path, data: bytes) -> None:
    """Replace a small file of ours so that a power cut leaves the old or the new one. Raises DiskFull."""
    temporary = path.with_name(f".{path.name}.tmp")
    with name_disk_full(path):
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
        sync_path(path.parent)


def remove_tree(root: Path) -> None:
    """Remove a file, a link or a directory with all that is in it, whatever its modes; harmless if it is gone."""
    if root.is_symlink() or not root.is_dir():
        with suppress(FileNotFoundError, NotADirectoryError):  # the latter if a file is above it
            root.unlink()
        return
    root.chmod(0o700)
    for directory, names, _ in os.walk(root):
        for name in names:  # before the walk enters them
            path = Path(directory, name)
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(root)


@contextmanager
def name_disk_full(path: Path) -> Iterator[None]:
    """Turn "no space" and "quota exceeded" within the block into DiskFull; other errors pass as they are."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL_ERRNOS:
            raise DiskFull(f"{error.filename or path}: {error.strerror}") from error
        raise


@contextmanager
def name_disk_errors(path: Path) -> Iterator[None]:
    """Turn what a local disk refuses within the block into errors of this project that name `path`.

    Raises:
        DiskFull: the disk or a quota is full.
        DiskUnusable: anything else, such as missing rights.
    """
    try:
        with name_disk_full(path):
            yield
    except OSError as error:
        raise DiskUnusable(f"{error.filename or path}: {error.strerror or error}") from error
