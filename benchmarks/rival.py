"""What every compressor must offer to be measured, and the proof that comes before any figure."""

from collections.abc import Sequence
from typing import Protocol

from benchmarks.case import Case

Buffer = bytes | bytearray | memoryview


class Rival(Protocol):
    """A compressor. Only `encode` and `decode` are timed.

    An encoded form counts whole: whatever `decode` needs besides the case's predecessor is in it.
    Results may come in several buffers: joining them is nobody's work here.
    """

    @property
    def name(self) -> str:
        """The column in the tables."""

    @property
    def n_threads(self) -> int:
        """How many threads it uses, each on a core of its own."""

    def accepts(self, case: Case) -> bool:
        """Say whether this rival has something to offer for the case."""

    def original(self, case: Case) -> bytes:
        """Return the bytes that are to be encoded."""

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        """Return the encoded form of `source`, a copy of `original(case)` that may be spoilt."""

    def store(self, encoded: Sequence[Buffer]) -> Sequence[Buffer]:
        """Return the encoded form as `decode` will find it: buffers that a file would hold in one piece are one."""

    def decode(self, stored: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Return the original bytes."""


class BufferRival:
    """What rivals share that take a buffer of tensors, with or without a predecessor, on one thread."""

    n_threads = 1

    def accepts(self, case: Case) -> bool:
        """Accept every case."""
        return True

    def original(self, case: Case) -> bytes:
        """Return the tensors' bytes, without the file's header."""
        return case.raw

    def store(self, encoded: Sequence[Buffer]) -> Sequence[Buffer]:
        """Return what was encoded: it is in one piece."""
        return encoded


def prove_round_trip(rival: Rival, case: Case) -> Sequence[Buffer]:
    """Return the stored form of a case, proven to give back every byte.

    Raises:
        SystemExit: it does not.
    """
    original = rival.original(case)
    stored = rival.store(rival.encode(bytearray(original), case))
    if b"".join(rival.decode(stored, case)) != original:
        raise SystemExit(f"{rival.name} on {case.facts}: the decoded bytes differ")
    return stored
