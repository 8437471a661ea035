"""Reading the shard in an archive piece by piece decodes each frame once, also where neighbours lie in different frames."""

from collections import Counter

from shards.archives import MemoryPredecessor, build_archive
from shards.gaps import build_gapped, list_states
from weightzip.codec.cutting.windows import MAX_PLANNED_BYTES
from weightzip.codec.frame_cache import FrameCache
from weightzip.codec.reader import Archive
from weightzip.codec.source import BytesLike, MemorySource

SHARD, LAYOUT = build_gapped(list_states(2, n_parameters=200))
EARLIER = MemoryPredecessor(*build_gapped(list_states(1, n_parameters=200)))


class _CountingArchive(Archive):
    """Counts how often each frame is decoded."""

    def __init__(self, archive: bytes) -> None:
        super().__init__(MemorySource(archive), predecessor=EARLIER)
        self.decoded: Counter[int] = Counter()

    def decode_stored_frame(self, number: int, stored: BytesLike, out: memoryview | None = None) -> BytesLike:
        self.decoded[number] += 1
        return super().decode_stored_frame(number, stored, out)


def test_small_tensors_one_by_one() -> None:
    archive = _CountingArchive(build_archive(SHARD, EARLIER, layout=LAYOUT))
    cache = FrameCache(archive)
    for tensor in LAYOUT.tensors:
        assert cache.read_at(tensor.offset, tensor.n_bytes) == SHARD[tensor.offset : tensor.end]
    # What frames lean on in the shard itself has a cache of its own.
    assert len(archive.decoded) == 3
    assert max(archive.decoded.values()) <= 2


def test_all_bytes_in_steps() -> None:
    archive = _CountingArchive(build_archive(SHARD, layout=LAYOUT))
    cache = FrameCache(archive)
    step = 1000
    read = b"".join(
        cache.read_at(begin, min(step, len(SHARD) - begin)) for begin in range(0, len(SHARD), step)
    )
    assert read == SHARD
    assert cache.read_at(5, 0) == b""
    assert max(archive.decoded.values()) <= 2


def test_it_holds_two_frames_of_a_shard_in_order_and_a_window_of_another() -> None:
    arranged = FrameCache(Archive(MemorySource(build_archive(SHARD, layout=LAYOUT))))
    in_order = FrameCache(Archive(MemorySource(build_archive(bytes(9 << 20)))))
    for cache, max_bytes in ((arranged, MAX_PLANNED_BYTES), (in_order, 8 << 20)):
        for begin in range(0, cache.size_bytes, 50_000):
            cache.read_at(begin, min(50_000, cache.size_bytes - begin))
            assert cache.held_bytes <= max_bytes
