"""What every compressor must offer to be measured."""

from collections.abc import Sequence
from typing import Protocol

from benchmarks.case import Case

Buffer = bytes | bytearray | memoryview


class Rival(Protocol):
    """A compressor on one thread. Only `encode` and `decode` are timed.

    An encoded form counts whole: whatever `decode` needs besides the case's predecessor is in it.
    Results may come in several buffers: joining them is nobody's work here.
    """

    @property
    def name(self) -> str:
        """The column in the tables."""

    def accepts(self, case: Case) -> bool:
        """Say whether this rival has something to offer for the case."""

    def original(self, case: Case) -> bytes:
        """Return the bytes that are to be encoded."""

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        """Return the encoded form of `source`, a copy of `original(case)` that may be spoilt."""

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Return the original bytes."""


class BufferRival:
    """What rivals share that take a buffer of tensors, with or without a predecessor."""

    def accepts(self, case: Case) -> bool:
        """Accept every case."""
        return True

    def original(self, case: Case) -> bytes:
        """Return the tensors' bytes, without the file's header."""
        return case.raw
