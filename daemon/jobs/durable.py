"""Small files of our own, written so that a power cut leaves the old or the new one: temp, fsync, rename, fsync."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weightzip.errors import DiskFull

_FULL = {errno.ENOSPC, errno.EDQUOT}


def write_durably(path: Path, data: bytes) -> None:
    """Replace a small file as a whole. Raises DiskFull."""
    temporary = path.with_name(f".{path.name}.tmp")
    with disk_full_named(path):
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
        sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def disk_full_named(path: Path) -> Iterator[None]:
    """Turn "no space" and "quota exceeded" into DiskFull that names the path."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFull(f"{path}: {error.strerror}") from error
        raise
