"""zstd on the bytes as they lie."""

from collections.abc import Sequence

import zstandard

from benchmarks.case import Case
from benchmarks.rival import Buffer, BufferRival

LEVEL = 3


class ZstdAlone(BufferRival):
    """zstd, level 3, one thread; it makes no use of a predecessor."""

    name = f"zstd -{LEVEL}"

    def encode(self, source: bytearray, case: Case) -> Sequence[Buffer]:
        """Return one zstd frame."""
        return [zstandard.ZstdCompressor(level=LEVEL).compress(source)]

    def decode(self, encoded: Sequence[Buffer], case: Case) -> Sequence[Buffer]:
        """Return the content of the frame."""
        return [zstandard.ZstdDecompressor().decompress(encoded[0])]
