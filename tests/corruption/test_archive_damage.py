"""Every cut and every flipped bit of an archive: a named error or the right bytes, never other bytes, never a crash."""

import io
from collections.abc import Callable

import pytest

from shards.archives import MemoryPredecessor, build_archive, map_by_digest
from shards.build import build_step
from weightzip.codec.backend import CpuBackend
from weightzip.codec.decoder import decode_shard
from weightzip.codec.reader import Archive
from weightzip.codec.reference import decode_archive
from weightzip.codec.source import MemorySource
from weightzip.codec.stream import StreamDecoder
from weightzip.errors import CorruptData, TruncatedData, UnsupportedVersion

SHARD = build_step(2, n_elements=300)
PREDECESSOR = MemoryPredecessor(build_step(1, n_elements=300))
ARCHIVES = {"alone": build_archive(SHARD), "leaning": build_archive(SHARD, PREDECESSOR)}
BACKEND = CpuBackend(1)


def _restore(archive: bytes) -> bytes:
    opened = Archive(MemorySource(archive), predecessor=PREDECESSOR, backend=BACKEND)
    return b"".join(decode_shard(opened, n_threads=1))


def _stream(archive: bytes) -> bytes:
    return b"".join(StreamDecoder(io.BytesIO(archive), predecessor=PREDECESSOR, backend=BACKEND))


def _reference(archive: bytes) -> bytes:
    return decode_archive(archive, map_by_digest([PREDECESSOR]))


@pytest.fixture(params=["alone", "leaning"])
def archive(request: pytest.FixtureRequest) -> bytes:
    """Return a small archive that uses every method."""
    return ARCHIVES[request.param]


@pytest.mark.parametrize("decode", [_restore, _stream], ids=["file", "pipe"])
def test_every_cut_is_named(archive: bytes, decode: Callable[[bytes], bytes]) -> None:
    assert decode(archive) == SHARD
    for n_bytes in range(len(archive)):
        with pytest.raises((TruncatedData, CorruptData)):
            decode(archive[:n_bytes])


@pytest.mark.parametrize("decode", [_restore, _stream], ids=["file", "pipe"])
def test_every_flip_is_named(archive: bytes, decode: Callable[[bytes], bytes]) -> None:
    for position in range(len(archive)):
        damaged = bytearray(archive)
        damaged[position] ^= 1 << position % 8
        with pytest.raises((CorruptData, UnsupportedVersion)):
            decode(bytes(damaged))


def test_the_reference_rejects_the_same_flips(archive: bytes) -> None:
    for position in range(0, len(archive), 7):
        damaged = bytearray(archive)
        damaged[position] ^= 0x80
        with pytest.raises((CorruptData, UnsupportedVersion)):
            _reference(bytes(damaged))


@pytest.mark.parametrize("value", [0x00, 0xFF])
def test_every_byte_replaced_by_an_extreme_is_named_or_harmless(archive: bytes, value: int) -> None:
    for position in range(len(archive)):
        damaged = bytearray(archive)
        damaged[position] = value
        if damaged == archive:
            continue
        with pytest.raises((CorruptData, UnsupportedVersion)):
            _restore(bytes(damaged))


@pytest.mark.parametrize("decode", [_restore, _stream, _reference], ids=["file", "pipe", "reference"])
def test_archives_of_two_files_glued_together_are_rejected(
    archive: bytes, decode: Callable[[bytes], bytes]
) -> None:
    for glued in (archive + archive, archive + b"\0"):
        with pytest.raises(CorruptData):
            decode(glued)
