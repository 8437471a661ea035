"""An open file as the readers of containers want it: random access to as many bytes as it had when it was opened."""

import os

from weightzip.errors import TruncatedData


class DescriptorSource:
    """A ByteSource over a descriptor that somebody else closes."""

    def __init__(self, descriptor: int, size_bytes: int) -> None:
        self._descriptor = descriptor
        self.size_bytes = size_bytes

    def read_at(self, offset: int, n_bytes: int) -> bytes:
        data = os.pread(self._descriptor, n_bytes, offset)
        if len(data) != n_bytes:
            raise TruncatedData(f"{n_bytes} bytes wanted at {offset}, there were {len(data)}")
        return data
