"""No compression at all: the speed of copying."""

from collections.abc import Sequence

from benchmarks.case import Case
from benchmarks.rival import Buffer, BufferRival
from benchmarks.rivals.names import MEMCPY


class Memcpy(BufferRival):
    """Copies. The upper bound of every speed."""

    name = MEMCPY

    def accepts(self, case: Case) -> bool:
        """Accept the cases without predecessor: copying is the same with one."""
        return case.predecessor_raw is None

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        """Return a copy."""
        return [bytes(source)]

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Return a copy."""
        return [bytearray(buffer) for buffer in encoded]
