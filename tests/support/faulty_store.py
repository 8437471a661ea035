"""A store that fails on purpose: a true Store around another one, spoilt by a schedule or by a seeded die."""

import random
import threading
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import TypeVar

from weightzip.daemon.store import CreateOutcome, Store, StoredObject
from weightzip.errors import StoreUnavailable, TruncatedData

Result = TypeVar("Result")


class Fault(Enum):
    """What goes wrong with one operation."""

    ERROR_BEFORE = "refused, nothing happened"
    ERROR_AFTER = "took effect, the reply was lost"
    SHORT_READ = "the bytes end early and the reader is told so"
    FLIPPED_BYTE = "one byte comes wrong and nobody is told"
    STALE_LISTING = "a listing from before the last change"
    PARTIAL_OBJECT = "half of the bytes land under the key, then the connection breaks"
    CRASH_BEFORE = "this process dies before the operation"
    CRASH_AFTER = "this process dies after the operation"


class CrashError(BaseException):
    """The process is dead: nothing may catch this and go on."""


Choose = Callable[[int, str], Fault | None]
"""From the number of a call (0, 1, ...) and its operation to what goes wrong with it."""


def crash_at(number: int, fault: Fault) -> Choose:
    """Let exactly one call meet its fault; after a crash every later call finds the process dead."""
    return lambda call, _: fault if call == number else None


def throw_dice(seed: int, rate: float, faults: tuple[Fault, ...]) -> Choose:
    """Let each call meet one of the faults with probability `rate`, the same way for the same seed."""
    dice = random.Random(seed)
    return lambda _, __: dice.choice(faults) if dice.random() < rate else None


class FaultyStore:
    """A Store that spoils the operations that `choose` names; faults that do not fit an operation are skipped."""

    def __init__(self, inner: Store, choose: Choose = lambda _, __: None) -> None:
        self.inner = inner
        self.choose = choose
        self.calls: list[str] = []
        self.dead = False
        self._lock = threading.Lock()
        self._listings: dict[str, list[StoredObject]] = {}

    @property
    def url(self) -> str:
        return self.inner.url

    def put_file(self, key: str, path: Path) -> None:
        self._write("put_file", key, path.read_bytes(), lambda: self.inner.put_file(key, path))

    def put_bytes(self, key: str, data: bytes) -> None:
        self._write("put_bytes", key, data, lambda: self.inner.put_bytes(key, data))

    def create_bytes(self, key: str, data: bytes) -> CreateOutcome:
        return self._run("create_bytes", lambda: self.inner.create_bytes(key, data))[0]

    def read_bytes(self, key: str, limit_bytes: int) -> bytes:
        return self._spoil(*self._run("read_bytes", lambda: self.inner.read_bytes(key, limit_bytes)))

    def read_range(self, key: str, offset: int, n_bytes: int) -> bytes:
        return self._spoil(*self._run("read_range", lambda: self.inner.read_range(key, offset, n_bytes)))

    def size_bytes(self, key: str) -> int:
        return self._run("size_bytes", lambda: self.inner.size_bytes(key))[0]

    def list_objects(self, prefix: str) -> Iterator[StoredObject]:
        listing, fault = self._run("list_objects", lambda: list(self.inner.list_objects(prefix)))
        known = self._listings.get(prefix)
        self._listings[prefix] = listing
        return iter(known if fault is Fault.STALE_LISTING and known is not None else listing)

    def delete(self, key: str) -> None:
        self._run("delete", lambda: self.inner.delete(key))

    def _write(self, operation: str, key: str, data: bytes, write: Callable[[], None]) -> None:
        def write_half() -> None:
            self.inner.put_bytes(key, data[: len(data) // 2])

        _, fault = self._run(operation, write, write_half)
        if fault is Fault.PARTIAL_OBJECT:
            raise StoreUnavailable(f"{operation}: spoilt by the test, half of it arrived")

    def _run(
        self, operation: str, call: Callable[[], Result], instead: Callable[[], Result] | None = None
    ) -> tuple[Result, Fault | None]:
        with self._lock:
            if self.dead:
                raise CrashError
            fault = self.choose(len(self.calls), operation)
            self.calls.append(operation)
            self.dead = fault in {Fault.CRASH_BEFORE, Fault.CRASH_AFTER}
        if fault is Fault.CRASH_BEFORE:
            raise CrashError
        if fault is Fault.ERROR_BEFORE:
            raise StoreUnavailable(f"{operation}: spoilt by the test")
        result = instead() if fault is Fault.PARTIAL_OBJECT and instead is not None else call()
        if fault is Fault.CRASH_AFTER:
            raise CrashError
        if fault is Fault.ERROR_AFTER:
            raise StoreUnavailable(f"{operation}: spoilt by the test, it took effect")
        return result, fault

    @staticmethod
    def _spoil(data: bytes, fault: Fault | None) -> bytes:
        if fault is Fault.SHORT_READ and data:
            raise TruncatedData("spoilt by the test: the bytes end early")
        if fault is Fault.FLIPPED_BYTE and data:
            middle = len(data) // 2
            return data[:middle] + bytes([data[middle] ^ 0x40]) + data[middle + 1 :]
        return data
