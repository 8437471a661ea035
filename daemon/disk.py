"""Small durable steps on a local disk that the store and the restore share."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def name_disk_errors(path: Path) -> Iterator[None]:
    """Turn what a local disk refuses within the block into errors of this project that name `path`.

    Raises:
        DiskFull: the disk or a quota is full.
        DiskUnusable: anything else, such as missing rights.
    """
    try:
        yield
    except OSError as error:
        place = error.filename or path
        if error.errno in FULL_ERRNOS:
            raise DiskFull(f"{place}: {error.strerror}") from error
        raise DiskUnusable(f"{place}: {error.strerror or error}") from error
