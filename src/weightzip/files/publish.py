"""Publishing a file: a temporary name beside the target, fsync, rename. Nobody ever sees half a file."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from weightzip.errors import DiskFull, TargetExists, UsageError
from weightzip.files.temporary import open_temporary

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_HARD_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


@contextmanager
def publish_file(target: Path, *, like: os.stat_result | None, force: bool) -> Iterator[BinaryIO]:
    """Yield a file to write; when the block ends well it becomes target, with the mode and times of `like`.

    When the block fails, nothing is left behind. Until it has the mode of `like`, only its owner may read it.

    Raises:
        TargetExists: target is there and force is False.
        DiskFull: the disk, a quota or a size limit is exhausted.
        NotFound: the target's directory does not exist.
        DirectoryInUse: another process writes the same target.
    """
    check_target(target, force=force)
    mode = 0o666 if like is None else 0o600
    with explain_full_disk(target), open_temporary(target, mode) as (temporary, file):
        yield file
        file.flush()
        if like is not None:
            os.fchmod(file.fileno(), stat.S_IMODE(like.st_mode))
            os.utime(file.fileno(), ns=(like.st_atime_ns, like.st_mtime_ns))
        os.fsync(file.fileno())
        check_target(target, force=force)
        _give_name(temporary, target, force)
        sync_directory(target.parent)


def check_target(target: Path, *, force: bool) -> None:
    """Raise TargetExists if target is there and force is False, UsageError if it is a directory, device or pipe."""
    if target.is_dir():
        raise UsageError(f"{target}: is a directory, a file was expected")
    if target.exists() and not target.is_file():
        raise UsageError(f"{target}: is not a regular file, it cannot be replaced by one")
    if not force and os.path.lexists(target):
        raise TargetExists(f"{target}: already exists")


def check_apart(first: Path, second: Path, *roles: str) -> None:
    """Raise UsageError for one file in two roles: an archive must not replace, or need, what it is made of."""
    if first.exists() and second.exists() and first.samefile(second):
        raise UsageError(f"{first}: {' and '.join(roles)} are the same file")


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


def _give_name(temporary: Path, target: Path, force: bool) -> None:
    """Rename; without force by a hard link, which fails if another process took the name since it was checked."""
    if not force:
        try:
            target.hardlink_to(temporary)
            return  # the temporary name goes as it does after a failure
        except FileExistsError as error:
            raise TargetExists(f"{target}: already exists") from error
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
    temporary.replace(target)
