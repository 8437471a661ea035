"""Forward decoding from a pipe."""

import io

import pytest

from shards.archives import MemoryPredecessor, build_archive
from shards.build import build_step
from shards.gaps import build_gapped, list_states
from weightzip.codec.backend import CpuBackend
from weightzip.codec.stream import StreamDecoder
from weightzip.errors import CorruptData, MissingPredecessor, TruncatedData, UsageError

SHARD = build_step(2)
PREDECESSOR = MemoryPredecessor(build_step(1))
LEANING = build_archive(SHARD, PREDECESSOR)


class TrickleReader:
    """A pipe that gives at most 1000 bytes at a time and cannot seek."""

    def __init__(self, data: bytes) -> None:
        self._inner = io.BytesIO(data)

    def read(self, n_bytes: int, /) -> bytes:
        return self._inner.read(min(n_bytes, 1000))


def _decode(data: bytes, predecessor: MemoryPredecessor | None = PREDECESSOR) -> bytes:
    decoder = StreamDecoder(TrickleReader(data), predecessor=predecessor, backend=CpuBackend(1))
    return b"".join(decoder)


@pytest.mark.parametrize("shard", [SHARD, b"", b"x"], ids=["step", "empty", "one byte"])
def test_pipes_restore(shard: bytes) -> None:
    assert _decode(build_archive(shard), None) == shard


def test_leaning_frames_read_the_predecessor() -> None:
    assert _decode(LEANING) == SHARD


def test_without_predecessor_it_stops_at_the_first_frame_that_leans() -> None:
    with pytest.raises(MissingPredecessor, match=PREDECESSOR.digest.hex()):
        _decode(LEANING, None)


def test_an_early_end_is_truncation() -> None:
    with pytest.raises(TruncatedData, match="it ends after"):
        _decode(LEANING[:-1])


def test_what_follows_the_footer_is_an_error() -> None:
    with pytest.raises(CorruptData, match="follow the footer"):
        _decode(LEANING + b"!")


def test_swapped_frames_are_found_at_the_end() -> None:
    archive = build_archive(build_step(2))
    from weightzip.codec.reader import Archive
    from weightzip.codec.source import MemorySource

    frames = Archive(MemorySource(archive)).index.frames
    rows = [frames.row(number) for number in range(2)]
    first, second = (archive[row.archive_offset : row.archive_offset + row.frame_bytes] for row in rows)
    swapped = archive[:24] + second + first + archive[24 + len(first) + len(second) :]
    with pytest.raises(CorruptData, match="describes other frames"):
        _decode(swapped, None)


def test_an_arranged_archive_takes_random_access() -> None:
    shard, layout = build_gapped(list_states(1))
    with pytest.raises(UsageError, match="random access"):
        _decode(build_archive(shard, layout=layout), None)
