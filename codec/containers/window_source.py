"""A stretch of a file as a file of its own: items of DCP files, members of tar archives."""

from weightzip.codec.source import BytesLike, ByteSource
from weightzip.errors import TruncatedData


class WindowSource:
    """A ByteSource over `size_bytes` bytes of another source from `offset`; reads copy nothing more."""

    def __init__(self, source: ByteSource, offset: int, n_bytes: int) -> None:
        if not 0 <= offset <= offset + n_bytes <= source.size_bytes:
            raise TruncatedData(
                f"{n_bytes} bytes wanted at {offset}, there are {source.size_bytes}: no such window"
            )
        self._source, self.offset, self.size_bytes = source, offset, n_bytes

    def read_at(self, offset: int, n_bytes: int) -> BytesLike:
        if not 0 <= offset <= offset + n_bytes <= self.size_bytes:
            raise TruncatedData(f"{n_bytes} bytes wanted at {offset} of a window of {self.size_bytes}")
        return self._source.read_at(self.offset + offset, n_bytes)
