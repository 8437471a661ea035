"""The usual recipe for two checkpoints: XOR with the predecessor, one plane per byte of the element, zstd."""

from collections.abc import Sequence

import numpy as np
import zstandard

from benchmarks.case import Case
from benchmarks.rival import Buffer, BufferRival

LEVEL = 3
NAME = f"XOR+planes+zstd -{LEVEL}"


class XorPlanes(BufferRival):
    """XOR, byte planes, zstd level 3; planes alone where there is no predecessor."""

    name = NAME

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        """Return one zstd frame over all planes."""
        values = np.frombuffer(source, np.uint8)
        if case.predecessor_raw is not None:
            values = values ^ np.frombuffer(case.predecessor_raw, np.uint8)
        planes = np.ascontiguousarray(values.reshape(-1, case.element_bytes).T)
        return [zstandard.ZstdCompressor(level=LEVEL).compress(planes.data)]

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Return the tensors' bytes."""
        planes = np.frombuffer(zstandard.ZstdDecompressor().decompress(encoded[0]), np.uint8)
        values = np.ascontiguousarray(planes.reshape(case.element_bytes, -1).T).reshape(-1)
        if case.predecessor_raw is not None:
            values ^= np.frombuffer(case.predecessor_raw, np.uint8)
        return [values.data]
