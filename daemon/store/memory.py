"""A store in the memory of this process: for tests and experiments."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

from weightzip.daemon.store.protocol import CreateOutcome, StoredObject, check_key
from weightzip.errors import CorruptData, NotFound, TruncatedData

_named_stores: dict[str, "MemoryStore"] = {}
_named_lock = threading.Lock()


class MemoryStore:
    """A Store that keeps its objects in a dictionary and honours conditional creates."""

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._objects: dict[str, tuple[bytes, float]] = {}
        self._lock = threading.Lock()

    @classmethod
    def named(cls, name: str) -> "MemoryStore":
        """Return the one store of this name in this process."""
        with _named_lock:
            return _named_stores.setdefault(name, cls(name))

    @property
    def url(self) -> str:
        return f"memory://{self._name}"

    def put_file(self, key: str, path: Path) -> None:
        self.put_bytes(key, path.read_bytes())

    def put_bytes(self, key: str, data: bytes) -> None:
        with self._lock:
            self._objects[check_key(key)] = (bytes(data), time.time())

    def create_bytes(self, key: str, data: bytes) -> CreateOutcome:
        with self._lock:
            if check_key(key) in self._objects:
                return CreateOutcome.ALREADY_EXISTS
            self._objects[key] = (bytes(data), time.time())
            return CreateOutcome.CREATED

    def read_bytes(self, key: str, limit_bytes: int) -> bytes:
        data = self._find(key)
        if len(data) > limit_bytes:
            raise CorruptData(f"{self.url}/{key} holds {len(data)} bytes, {limit_bytes} are allowed")
        return data

    def read_range(self, key: str, offset: int, n_bytes: int) -> bytes:
        data = self._find(key)[offset : offset + n_bytes]
        if len(data) < n_bytes:
            raise TruncatedData(f"{self.url}/{key} ends before byte {offset + n_bytes}")
        return data

    def size_bytes(self, key: str) -> int:
        return len(self._find(key))

    def list_objects(self, prefix: str) -> Iterator[StoredObject]:
        with self._lock:
            objects = dict(self._objects)
        for key, (data, modified_seconds) in objects.items():
            if key.startswith(prefix):
                yield StoredObject(key, len(data), modified_seconds)

    def delete(self, key: str) -> None:
        with self._lock:
            self._objects.pop(check_key(key), None)

    def _find(self, key: str) -> bytes:
        with self._lock:
            found = self._objects.get(check_key(key))
        if found is None:
            raise NotFound(f"{self.url}/{key} does not exist")
        return found[0]
