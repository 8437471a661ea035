"""Small durable steps on a local disk that the store and the restore share."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weightzip.errors import DiskFull

FULL_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT})


def sync_path(path: Path) -> None:
    """Make a file's bytes, or a directory's names, outlast a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def name_disk_full(path: Path) -> Iterator[None]:
    """Turn an error about a full disk or quota within the block into DiskFull, naming `path`; others pass."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL_ERRNOS:
            raise DiskFull(f"{path}: {error.strerror}") from error
        raise
