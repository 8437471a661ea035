"""The common form of stores that wrap another: every operation passes through one method."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from weightzip.daemon.store.protocol import CreateOutcome, Store, StoredObject

Result = TypeVar("Result")


class WrappedStore(ABC):
    """A Store that adds one behaviour to all operations of another: subclasses write `_call` alone."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner

    @abstractmethod
    def _call(self, operation: str, sent_bytes: int, call: Callable[[], Result]) -> Result:
        """Run one operation of the inner store; `sent_bytes` is what it carries to the store."""

    @property
    def url(self) -> str:
        return self._inner.url

    def put_file(self, key: str, path: Path) -> None:
        self._call("put_file", path.stat().st_size, partial(self._inner.put_file, key, path))

    def put_bytes(self, key: str, data: bytes) -> None:
        self._call("put_bytes", len(data), partial(self._inner.put_bytes, key, data))

    def create_bytes(self, key: str, data: bytes) -> CreateOutcome:
        return self._call("create_bytes", len(data), partial(self._inner.create_bytes, key, data))

    def read_bytes(self, key: str, limit_bytes: int) -> bytes:
        return self._call("read_bytes", 0, partial(self._inner.read_bytes, key, limit_bytes))

    def read_range(self, key: str, offset: int, n_bytes: int) -> bytes:
        return self._call("read_range", 0, partial(self._inner.read_range, key, offset, n_bytes))

    def size_bytes(self, key: str) -> int:
        return self._call("size_bytes", 0, partial(self._inner.size_bytes, key))

    def list_objects(self, prefix: str) -> Iterator[StoredObject]:
        # Listed in full here: an error in the middle of a lazy listing would escape the wrapper.
        return iter(self._call("list_objects", 0, lambda: list(self._inner.list_objects(prefix))))

    def delete(self, key: str) -> None:
        self._call("delete", 0, partial(self._inner.delete, key))
