"""Temporary files: named after what they become, locked while their process lives, swept when it is gone."""

import errno
import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from blake3 import blake3

from weightzip.errors import DirectoryInUse, NotFound

_NAME = re.compile(r"\.weightzip-[0-9a-f]{16}\.tmp")
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF}
_MAX_TRIES = 10


def is_temporary(name: str) -> bool:
    """Return whether a file of this name is one of ours that is not finished, and no part of anybody's directory."""
    return _NAME.fullmatch(name) is not None


@contextmanager
def open_temporary(target: Path, mode: int) -> Iterator[tuple[Path, BinaryIO]]:
    """Yield a new file beside target that will get its name, and remove it if it still has its own at the end.

    What an earlier process left of the same target is removed. The lock is held until the end.

    Raises:
        NotFound: the target's directory does not exist.
        DirectoryInUse: another process writes the same target.
    """
    name = blake3(os.fsencode(target.name)).hexdigest()[:16]
    temporary = target.parent / f".weightzip-{name}.tmp"
    file: BinaryIO | None = None
    try:
        file = _create(temporary, target, mode)
        yield temporary, file
    finally:
        if file is None:
            _sweep(temporary)  # a signal may have come while it was made
        else:
            if _is_at(temporary, file.fileno()):  # else it has its name, and another process may be at work
                temporary.unlink()
            file.close()


@contextmanager
def spool_file(folder: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Yield a file without a name in a folder, and a path by which it can be opened as long as the block runs."""
    with tempfile.TemporaryFile(dir=folder) as file:
        yield Path(f"/proc/self/fd/{file.fileno()}"), file


def sweep_temporaries(folder: Path) -> None:
    """Remove the temporary files in a folder whose processes are gone."""
    for path in folder.iterdir():
        if is_temporary(path.name):
            _sweep(path)


def _create(temporary: Path, target: Path, mode: int) -> BinaryIO:
    """Create and lock a file. Between the two steps another process may take it for one that was left."""
    for _ in range(_MAX_TRIES):
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        except FileExistsError:
            if not _sweep(temporary):
                break
            continue
        except FileNotFoundError as error:
            raise NotFound(f"{target.parent}: no such directory") from error
        except OSError as error:
            error.filename = str(target)  # nobody knows the temporary name
            raise
        file = os.fdopen(descriptor, "wb")
        try:
            if _lock(descriptor) is not False and os.fstat(descriptor).st_nlink > 0:
                return file
        except BaseException:  # a signal: the file must be free for _sweep
            file.close()
            raise
        file.close()
    raise DirectoryInUse(f"{target}: another process writes it; if none does, remove {temporary}")


def _sweep(temporary: Path) -> bool:
    """Remove a temporary file, and return whether it is gone: not if its process lives, or nobody can tell."""
    try:
        descriptor = _open_any(temporary)
    except FileNotFoundError:
        return True
    except OSError:
        return False  # of another user, or no file
    try:
        if not _lock(descriptor) or not _is_at(temporary, descriptor):
            return False
        temporary.unlink()
        return True
    except PermissionError:
        return False
    finally:
        os.close(descriptor)


def _open_any(path: Path) -> int:
    """Open a file for locking: over NFS that takes the right to write, which an almost finished file may not give."""
    flags = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        return os.open(path, os.O_RDWR | flags)
    except PermissionError:
        return os.open(path, os.O_RDONLY | flags)


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _lock(descriptor: int) -> bool | None:
    """Lock a file; return False if another process holds it, None where the file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return None
        raise
    return True
