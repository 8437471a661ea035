"""Publishing a file: a temporary name beside the target, fsync, rename. Nobody ever sees half a file."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from weightzip.errors import DiskFull, NotFound, TargetExists, UsageError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def publish_file(target: Path, *, like: os.stat_result | None, force: bool) -> Iterator[BinaryIO]:
    """Yield a file to write; when the block ends well it becomes target, with the mode and times of `like`.

    When the block fails, nothing is left behind.

    Raises:
        TargetExists: target is there and force is False.
        DiskFull: the disk, a quota or a size limit is exhausted.
        NotFound: the target's directory does not exist.
    """
    check_target(target, force=force)
    temporary = _create_temporary(target)
    try:
        with explain_full_disk(target):
            with temporary.open("wb") as file:
                yield file
                file.flush()
                if like is not None:
                    os.fchmod(file.fileno(), stat.S_IMODE(like.st_mode))
                    os.utime(file.fileno(), ns=(like.st_atime_ns, like.st_mtime_ns))
                os.fsync(file.fileno())
            check_target(target, force=force)
            temporary.replace(target)
            sync_directory(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def check_target(target: Path, *, force: bool) -> None:
    """Raise TargetExists if target is there and force is False, UsageError if it is a directory."""
    if target.is_dir():
        raise UsageError(f"{target}: is a directory, a file was expected")
    if not force and os.path.lexists(target):
        raise TargetExists(f"{target}: already exists")


@contextmanager
def explain_full_disk(target: Path) -> Iterator[None]:
    """Turn the ways in which a disk is full into DiskFull."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFull(f"{target}: {error.strerror}; what was half-written has been removed") from error
        raise


def sync_directory(directory: Path) -> None:
    """Make the names in a directory survive a power loss."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _create_temporary(target: Path) -> Path:
    temporary = target.parent / f".weightzip-{secrets.token_hex(8)}.tmp"
    try:
        temporary.touch(exist_ok=False)
    except FileNotFoundError as error:
        raise NotFound(f"{target.parent}: no such directory") from error
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFull(f"{target}: {error.strerror}") from error
        raise
    return temporary
