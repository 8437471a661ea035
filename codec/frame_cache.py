"""The shard in an archive as a ByteSource: frames are decoded when their bytes are asked for, the last ones kept."""

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from weightzip.codec.cutting.windows import MAX_PLANNED_BYTES
from weightzip.codec.placement import locate_range
from weightzip.codec.source import BytesLike

if TYPE_CHECKING:
    from weightzip.codec.reader import Archive

# Of a walk in order, by one thread or several: what straddles two frames finds the first still there. Measured with
# eight frames at once over packed small tensors: 3 % are decoded twice, none where frames match.
_FEW_FRAMES = 2


class FrameCache:
    """A ByteSource over the shard in an archive.

    Threads that ask at the same time wait for each other: a chain of any length then holds two decoded frames an
    archive, not as many as there are threads. Of a shard that is arranged it holds as much as a window has: neighbours
    in the shard are in different frames.
    """

    def __init__(self, archive: "Archive") -> None:
        self.archive = archive
        self._lock = threading.Lock()
        self._frames: OrderedDict[int, BytesLike] = OrderedDict()
        self.held_bytes = 0
        self._most_bytes = MAX_PLANNED_BYTES if len(archive.index.arrangement) else 0

    @property
    def size_bytes(self) -> int:
        return self.archive.index.file_bytes

    def read_at(self, offset: int, n_bytes: int) -> BytesLike:
        if n_bytes == 0:
            return b""
        parts = locate_range(self.archive.index, offset, n_bytes)
        with self._lock:
            return self.archive.assemble(offset, n_bytes, parts, self._read_frame)

    def _read_frame(self, number: int, _: memoryview | None) -> BytesLike:
        """Return a frame in memory of its own: it is kept for others."""
        if number in self._frames:
            self._frames.move_to_end(number)
            return self._frames[number]
        n_bytes = int(self.archive.index.frames.raw_bytes[number])
        while len(self._frames) >= _FEW_FRAMES and self.held_bytes + n_bytes > self._most_bytes:
            self.held_bytes -= len(self._frames.popitem(last=False)[1])
        raw = self.archive.read_frame(number)
        self._frames[number] = raw
        self.held_bytes += len(raw)
        return raw
