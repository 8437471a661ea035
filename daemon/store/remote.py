"""A store at any URL that fsspec can reach: S3 and its kin first of all."""

import errno
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import fsspec
import fsspec.asyn

from weightzip.daemon.store.failures import service_code, translate_failures
from weightzip.daemon.store.protocol import TEMPORARY_PREFIX, CreateOutcome, StoredObject, check_key
from weightzip.errors import CorruptData, TruncatedData

_S3_SCHEMES = {"s3", "s3a"}
# Stores whose put shows an object whole or not at all; elsewhere fsspec writes the final name bit by bit.
_WHOLE_PUT_SCHEMES = _S3_SCHEMES | {"gs", "gcs", "az", "abfs", "abfss"}
# Elsewhere fsspec's "create" is a look and then a write, which two writers can both win.
_CONDITIONAL_SCHEMES = _S3_SCHEMES | {"gs", "gcs"}

_CONNECT_TIMEOUT_SECONDS = 5
_READ_TIMEOUT_SECONDS = 30
_SLOWEST_BYTES_PER_SECOND = 256 << 10
_UPLOAD_PART_BYTES = 8 << 20
_UPLOAD_CONCURRENCY = 4
_MAX_UPLOAD_PARTS = 9_000


class FsspecStore:
    """A Store over an fsspec file system. Retries are left to RetryingStore: here each operation is tried once."""

    def __init__(
        self, url: str, storage_options: Mapping[str, Any] | None = None, *, operation_seconds: float = 30.0
    ) -> None:
        self._operation_seconds = operation_seconds
        self._scheme, _, rest = url.rstrip("/").partition("://")
        host, slash, path = rest.partition("/")
        self.url = f"{self._scheme}://{host.rpartition('@')[2]}{slash}{path}"  # without a name and password
        options = dict(storage_options or {})
        if self._scheme in _S3_SCHEMES:
            options["config_kwargs"] = {
                "connect_timeout": _CONNECT_TIMEOUT_SECONDS,
                "read_timeout": _READ_TIMEOUT_SECONDS,
                "retries": {"total_max_attempts": 1, "mode": "standard"},
            } | options.get("config_kwargs", {})
        self._fs = fsspec.filesystem(
            self._scheme, skip_instance_cache=True, use_listings_cache=False, **options
        )
        if self._scheme in _S3_SCHEMES:
            self._fs.retries = 1
        self._root = self._fs._strip_protocol(url.rstrip("/"))

    def put_file(self, key: str, path: Path) -> None:
        n_bytes = path.stat().st_size
        options = self._upload_options(n_bytes)
        self._put(key, lambda name: self._call("put_file", str(path), name, n_bytes=n_bytes, **options))

    def put_bytes(self, key: str, data: bytes) -> None:
        self._put(key, lambda name: self._call("pipe_file", name, data, n_bytes=len(data)))

    def create_bytes(self, key: str, data: bytes) -> CreateOutcome:
        if self._scheme not in _CONDITIONAL_SCHEMES:
            return CreateOutcome.UNSUPPORTED
        name = self._path(key)
        with translate_failures(self.url, key):
            try:
                self._call("pipe_file", name, data, n_bytes=len(data), mode="create")
            except FileExistsError:
                return CreateOutcome.ALREADY_EXISTS
            except OSError as error:
                # Servers refuse in several ways; s3fs recognises only the one of AWS as FileExistsError.
                if service_code(error) in {"PreconditionFailed", "412"}:
                    return CreateOutcome.ALREADY_EXISTS
                if error.errno == errno.ENOSYS or service_code(error) in {"NotImplemented", "501"}:
                    return CreateOutcome.UNSUPPORTED
                raise
        return CreateOutcome.CREATED

    def read_bytes(self, key: str, limit_bytes: int) -> bytes:
        name = self._path(key)
        with translate_failures(self.url, key):
            try:
                data: bytes = self._call("cat_file", name, n_bytes=limit_bytes, start=0, end=limit_bytes + 1)
            except OSError as error:
                if service_code(error) in {"InvalidRange", "416"}:
                    return b""  # an empty object has no byte 0
                raise
        if len(data) > limit_bytes:
            raise CorruptData(f"{self.url}/{key} is larger than the {limit_bytes} bytes that are allowed")
        return data

    def read_range(self, key: str, offset: int, n_bytes: int) -> bytes:
        if n_bytes == 0:
            return b""
        name = self._path(key)
        with translate_failures(self.url, key):
            data: bytes = self._call("cat_file", name, n_bytes=n_bytes, start=offset, end=offset + n_bytes)
        if len(data) != n_bytes:
            raise TruncatedData(
                f"{self.url}/{key} gave {len(data)} bytes at {offset}, {n_bytes} were asked for"
            )
        return data

    def size_bytes(self, key: str) -> int:
        name = self._path(key)
        with translate_failures(self.url, key):
            info = self._call("info", name, **self._fresh())
            if info["type"] != "file":
                raise FileNotFoundError(key)
            return int(info["size"])

    def list_objects(self, prefix: str) -> Iterator[StoredObject]:
        start = f"{self._root}/"
        with translate_failures(self.url, prefix):
            self._fs.invalidate_cache()
            try:
                listing = self._call("find", start + prefix, detail=True)
            except FileNotFoundError as error:
                if service_code(error) == "NoSuchBucket":
                    raise
                return
            for name, info in listing.items():
                # Some servers keep showing emptied directories for a while.
                if info["type"] == "file" and name.startswith(start + prefix):
                    yield StoredObject(name.removeprefix(start), int(info["size"]), _modified_seconds(info))

    def delete(self, key: str) -> None:
        name = self._path(key)
        with translate_failures(self.url, key):
            try:
                self._call("rm_file", name)
            except FileNotFoundError as error:
                if service_code(error) == "NoSuchBucket":
                    raise

    def _put(self, key: str, write: Callable[[str], None]) -> None:
        """Write an object so that it appears whole: at once, or under another name that is then changed."""
        final = self._path(key)
        with translate_failures(self.url, key):
            if self._scheme in _WHOLE_PUT_SCHEMES:
                write(final)
                return
            temporary = self._path(f"{TEMPORARY_PREFIX}{uuid.uuid4().hex}")
            for name in (temporary, final):
                self._fs.makedirs(name.rpartition("/")[0], exist_ok=True)
            write(temporary)
            self._fs.mv(temporary, final)

    def _call(self, method: str, *arguments: Any, n_bytes: int = 0, **options: Any) -> Any:
        """Run one operation of the file system, with a deadline where it can be cancelled.

        The libraries beneath have timeouts, but none for a server that takes a PUT and never answers.
        """
        if not self._fs.async_impl:
            return getattr(self._fs, method)(*arguments, **options)
        coroutine = getattr(self._fs, f"_{method}")
        deadline = self._operation_seconds + n_bytes / _SLOWEST_BYTES_PER_SECOND
        return fsspec.asyn.sync(self._fs.loop, coroutine, *arguments, timeout=deadline, **options)

    def _path(self, key: str) -> str:
        return f"{self._root}/{check_key(key)}"

    def _fresh(self) -> dict[str, Any]:
        return {"refresh": True} if self._scheme in _S3_SCHEMES else {}

    def _upload_options(self, size_bytes: int) -> dict[str, Any]:
        if self._scheme not in _S3_SCHEMES:
            return {}
        # s3fs would hold ten parts of 50 MiB in memory.
        part_bytes = max(_UPLOAD_PART_BYTES, -(-size_bytes // _MAX_UPLOAD_PARTS))
        return {"chunksize": part_bytes, "max_concurrency": _UPLOAD_CONCURRENCY}


def _modified_seconds(info: Mapping[str, Any]) -> float | None:
    modified = info.get("LastModified") or info.get("mtime") or info.get("updated")
    if isinstance(modified, datetime):
        return modified.timestamp()
    return float(modified) if isinstance(modified, int | float) else None
