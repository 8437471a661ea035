"""The shard comes in its own order, whatever the order of the frames, in memory that a window bounds."""

from contextlib import closing

import pytest

from shards.archives import MemoryPredecessor, build_archive
from shards.build import Tensor
from shards.gaps import build_gapped, list_states
from weightzip.codec.backend import CpuBackend
from weightzip.codec.cutting.windows import MAX_PLANNED_BYTES
from weightzip.codec.decoder import decode_shard
from weightzip.codec.reader import Archive
from weightzip.codec.source import MemorySource
from weightzip.errors import CorruptData

SHARD, LAYOUT = build_gapped(list_states(2))
EARLIER = MemoryPredecessor(*build_gapped(list_states(1)))
ARCHIVE = build_archive(SHARD, EARLIER, layout=LAYOUT)


def _open(archive: bytes, n_threads: int = 1) -> Archive:
    return Archive(MemorySource(archive), predecessor=EARLIER, backend=CpuBackend(n_threads))


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_the_shard_comes_in_order(n_threads: int) -> None:
    opened = _open(ARCHIVE, n_threads)
    assert opened.header.is_arranged and opened.header.leans_on_itself
    assert b"".join(decode_shard(opened, n_threads=n_threads)) == SHARD


def test_windows_come_one_after_another() -> None:
    large = [Tensor(f"large.{number}", "U8", (4 << 20,), bytes([number]) * (4 << 20)) for number in range(4)]
    whole = Tensor("whole", "U8", (17 << 20,), bytes(17 << 20))
    shard, layout = build_gapped([*large, whole, *list_states(1)])
    opened = _open(build_archive(shard, layout=layout), 2)
    assert opened.header.is_arranged
    position = 0
    for raw in decode_shard(opened, n_threads=1):
        assert len(raw) <= MAX_PLANNED_BYTES
        assert raw == shard[position : position + len(raw)]
        position += len(raw)
    assert position == len(shard)


def test_a_walk_that_is_left_early_ends() -> None:
    with closing(decode_shard(_open(ARCHIVE, 2), n_threads=1)) as frames:
        assert len(next(frames)) > 0


def test_damage_within_a_window_is_named() -> None:
    frames = _open(ARCHIVE).index.frames
    for number in range(len(frames)):
        damaged = bytearray(ARCHIVE)
        damaged[int(frames.archive_offset[number]) + 30] ^= 1
        with pytest.raises(CorruptData, match=f"frame {number} .*of the arranged file"):
            b"".join(decode_shard(_open(bytes(damaged)), n_threads=1))
