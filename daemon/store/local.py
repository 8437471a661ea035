"""A store in a local directory (or a mounted file system), written durably: temp, fsync, rename, fsync."""

import errno
import os
import shutil
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from weightzip.daemon.disk import sync_path
from weightzip.daemon.store.failures import translate_failures
from weightzip.daemon.store.protocol import TEMPORARY_PREFIX, CreateOutcome, StoredObject, check_key
from weightzip.errors import CorruptData, TruncatedData

_NO_HARD_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


class LocalStore:
    """A Store over a directory. Unfinished objects lie under `tmp/` in it, never under a final key."""

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()

    @property
    def url(self) -> str:
        return self._root.as_uri()

    def put_file(self, key: str, path: Path) -> None:
        final = self._path(key)
        with self._staged(key) as staged:
            shutil.copyfile(path, staged)
            self._publish(staged, final)

    def put_bytes(self, key: str, data: bytes) -> None:
        final = self._path(key)
        with self._staged(key) as staged:
            staged.write_bytes(data)
            self._publish(staged, final)

    def create_bytes(self, key: str, data: bytes) -> CreateOutcome:
        """Store some bytes only if the key is free.

        A hard link is the one operation that is atomic, refuses an existing name and shows only whole files; where
        the file system has none the answer is UNSUPPORTED.
        """
        final = self._path(key)
        with self._staged(key) as staged:
            staged.write_bytes(data)
            sync_path(staged)
            final.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(staged, final)
            except FileExistsError:
                return CreateOutcome.ALREADY_EXISTS
            except OSError as error:
                if error.errno in _NO_HARD_LINKS:
                    return CreateOutcome.UNSUPPORTED
                raise
            sync_path(final.parent)
            return CreateOutcome.CREATED

    def read_bytes(self, key: str, limit_bytes: int) -> bytes:
        path = self._path(key)
        with translate_failures(self.url, key), _open_object(path) as file:
            data = file.read(limit_bytes + 1)
        if len(data) > limit_bytes:
            raise CorruptData(f"{self.url}/{key} is larger than the {limit_bytes} bytes that are allowed")
        return data

    def read_range(self, key: str, offset: int, n_bytes: int) -> bytes:
        path = self._path(key)
        with translate_failures(self.url, key), _open_object(path) as file:
            file.seek(offset)
            data = file.read(n_bytes)
        if len(data) < n_bytes:
            raise TruncatedData(f"{self.url}/{key} ends before byte {offset + n_bytes}")
        return data

    def size_bytes(self, key: str) -> int:
        path = self._path(key)
        with translate_failures(self.url, key):
            return _check_regular(path, path.stat()).st_size

    def list_objects(self, prefix: str) -> Iterator[StoredObject]:
        with translate_failures(self.url, prefix):
            directories = [self._root / prefix]
            while directories:
                directory = directories.pop()
                try:
                    items = list(os.scandir(directory))
                    directories.extend(
                        Path(item.path) for item in items if item.is_dir(follow_symlinks=False)
                    )
                    for item in items:
                        if item.is_file(follow_symlinks=False):
                            status = item.stat()
                            key = Path(item.path).relative_to(self._root).as_posix()
                            yield StoredObject(key, status.st_size, status.st_mtime)
                except FileNotFoundError:
                    continue  # removed while we look: a listing is of no moment in particular

    def delete(self, key: str) -> None:
        path = self._path(key)
        with translate_failures(self.url, key):
            path.unlink(missing_ok=True)
            if path.parent.is_dir():
                sync_path(path.parent)

    def _path(self, key: str) -> Path:
        return self._root / check_key(key)

    @contextmanager
    def _staged(self, key: str) -> Iterator[Path]:
        """Give a path to write an object to before it gets its key; whatever is left there is removed."""
        with translate_failures(self.url, key):
            staged = self._root / TEMPORARY_PREFIX / uuid.uuid4().hex
            staged.parent.mkdir(parents=True, exist_ok=True)
            try:
                yield staged
            finally:
                staged.unlink(missing_ok=True)

    @staticmethod
    def _publish(staged: Path, final: Path) -> None:
        sync_path(staged)
        final.parent.mkdir(parents=True, exist_ok=True)
        staged.rename(final)
        sync_path(final.parent)


def _open_object(path: Path) -> BinaryIO:
    """Open an object; a pipe that somebody put in its place is not waited for."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    try:
        _check_regular(path, os.fstat(file.fileno()))
    except FileNotFoundError:
        file.close()
        raise
    return file


def _check_regular(path: Path, status: os.stat_result) -> os.stat_result:
    """Raise FileNotFoundError for what no listing shows: folders, pipes, devices."""
    if not stat.S_ISREG(status.st_mode):
        raise FileNotFoundError(errno.ENOENT, "not a regular file", str(path))
    return status
