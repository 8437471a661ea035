"""ZipNN, the published compressor for model weights: on the bytes as they are, and on the XOR with a predecessor."""

from collections.abc import Sequence

import numpy as np
import zipnn

from benchmarks.case import Case
from benchmarks.rival import Buffer, BufferRival
from benchmarks.rivals.names import ZIPNN, ZIPNN_ON_XOR

_DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}


class ZipNN(BufferRival):
    """ZipNN on one thread, told the dtype; it makes no use of a predecessor."""

    name = ZIPNN

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        """Return ZipNN's form; it reorders bits inside `source` while it works."""
        return [_open(case).compress(source)]

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Return the tensors' bytes."""
        return [_open(case).decompress(encoded[0])]


class ZipNNOnXor(ZipNN):
    """ZipNN on the XOR of the two, as its authors do for checkpoints of a run."""

    name = ZIPNN_ON_XOR

    def accepts(self, case: Case) -> bool:
        """Accept the cases with a predecessor."""
        return case.predecessor_raw is not None

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        """Return ZipNN's form of the XOR."""
        return super().encode(_combine(source, case), case)

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Return the tensors' bytes."""
        return [_combine(buffer, case) for buffer in super().decode(encoded, case)]


def _open(case: Case) -> zipnn.ZipNN:
    return zipnn.ZipNN(input_format="byte", bytearray_dtype=_DTYPES[case.facts.dtype], threads=1)


def _combine(data: Buffer, case: Case) -> bytearray:
    predecessor = np.frombuffer(case.predecessor_raw or b"", np.uint8)
    return bytearray(np.frombuffer(data, np.uint8) ^ predecessor)
