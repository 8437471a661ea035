"""What every store can do. Implementations, retries and metrics live in the files beside this one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

TEMPORARY_PREFIX = "tmp/"
"""Where stores that cannot write a final key at once keep unfinished objects."""

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")


def check_key(key: str) -> str:
    """Return `key` if it is made of plain names, so that no store can be led astray by it.

    Raises:
        ValueError: it is not; keys are made by this program alone, so this is a mistake in it.
    """
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} is no key of a store")
    return key


class CreateOutcome(Enum):
    """What a conditional create said. `UNSUPPORTED`: the store has no such operation, nothing was written."""

    CREATED = "created"
    ALREADY_EXISTS = "already_exists"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True)
class StoredObject:
    """One line of a listing. `modified_seconds` is Unix time by the store's clock, None where it tells no time."""

    key: str
    size_bytes: int
    modified_seconds: float | None = None


class Store(Protocol):
    """A flat map from keys to immutable bytes, safe to use from several threads.

    Keys are relative, `/`-separated ASCII. Objects appear whole or not at all, and are there for every reader when
    a write returns. Listings may lag behind.

    Every method may raise StoreUnavailable (the store cannot be reached or refuses for now; retryable).
    """

    @property
    def url(self) -> str:
        """Return where the store lies, for messages; holds no secret."""

    def put_file(self, key: str, path: Path) -> None:
        """Store the bytes of a local file, replacing an object of that key. Raises DiskFull."""

    def put_bytes(self, key: str, data: bytes) -> None:
        """Store some bytes, replacing an object of that key. Raises DiskFull."""

    def create_bytes(self, key: str, data: bytes) -> CreateOutcome:
        """Store some bytes only if the key is free, atomically.

        ALREADY_EXISTS may speak of our own object when an earlier reply was lost: read back before calling it a
        conflict.
        """

    def read_bytes(self, key: str, limit_bytes: int) -> bytes:
        """Return a whole object. Raises NotFound, and CorruptData if it is larger than `limit_bytes`."""

    def read_range(self, key: str, offset: int, n_bytes: int) -> bytes:
        """Return exactly `n_bytes` from `offset`. Raises NotFound, and TruncatedData if the object ends before."""

    def size_bytes(self, key: str) -> int:
        """Return the size of an object, asking the store itself, never a listing. Raises NotFound."""

    def list_objects(self, prefix: str) -> Iterator[StoredObject]:
        """Yield all objects whose key begins with `prefix` (which ends in `/`), in no particular order."""

    def delete(self, key: str) -> None:
        """Remove an object; it is no error if there is none."""
