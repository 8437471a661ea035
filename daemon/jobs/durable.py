"""Small files of our own, written so that a power cut leaves the old or the new one: temp, fsync, rename, fsync."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weightzip.daemon.disk import FULL_ERRNOS, sync_path
from weightzip.errors import DiskFull


def write_durably(path: Path, data: bytes) -> None:
    """Replace a small file as a whole. Raises DiskFull."""
    temporary = path.with_name(f".{path.name}.tmp")
    with name_disk_full(path):
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
        sync_path(path.parent)


@contextmanager
def name_disk_full(path: Path) -> Iterator[None]:
    """Turn "no space" and "quota exceeded" within the block into DiskFull; other errors pass as they are."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL_ERRNOS:
            raise DiskFull(f"{error.filename or path}: {error.strerror}") from error
        raise
