"""ZipNN, the published compressor for model weights; with a predecessor, on the XOR of the two, as its authors do."""

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np
import zipnn

from benchmarks.case import Case
from benchmarks.rival import Buffer, BufferRival

_DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}


class ZipNN(BufferRival):
    """ZipNN on one thread, told the dtype."""

    name = f"ZipNN {version('zipnn')}"

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        """Return ZipNN's form; it reorders bits inside `source` while it works."""
        return [self._open(case).compress(self._combine(source, case))]

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Return the tensors' bytes."""
        return [self._combine(self._open(case).decompress(encoded[0]), case)]

    def _open(self, case: Case) -> zipnn.ZipNN:
        return zipnn.ZipNN(input_format="byte", bytearray_dtype=_DTYPES[case.facts.dtype], threads=1)

    def _combine(self, data: Buffer, case: Case) -> Buffer:
        if case.predecessor_raw is None:
            return data
        return bytearray(np.frombuffer(data, np.uint8) ^ np.frombuffer(case.predecessor_raw, np.uint8))
