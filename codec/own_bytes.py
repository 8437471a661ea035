"""What frames of an archive lean on when they lean on the shard itself."""

from weightzip.codec.frame_cache import FrameCache
from weightzip.codec.placement import locate_range
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData


class OwnBytes(FrameCache):
    """A ByteSource over those frames of an archive that do not lean on the shard themselves.

    So nothing is deeper than one step, whatever an archive says.
    """

    def read_at(self, offset: int, n_bytes: int) -> BytesLike:
        """Return exactly n_bytes (1 or more) from offset.

        Raises:
            CorruptData: a frame that holds some of them leans on the shard itself.
        """
        index = self.archive.index
        if index.frames.leans_on_itself[locate_range(index, offset, n_bytes).frame].any():
            raise CorruptData(
                f"{self.archive.name}: a frame leans on bytes {offset} to {offset + n_bytes} of the file, "
                "which lean on others of it themselves"
            )
        return super().read_at(offset, n_bytes)
