"""Damage to archives that lean on several files and on themselves, or are arranged: a named error from both decoders, or the right bytes."""

import pytest

from shards.archives import MemoryPredecessor, map_by_digest
from support import arranged_archives, leaning_archives
from weightzip.codec.backend import CpuBackend
from weightzip.codec.decoder import decode_shard
from weightzip.codec.reader import Archive
from weightzip.codec.reference import decode_archive
from weightzip.codec.source import MemorySource
from weightzip.errors import CorruptData, UnsupportedVersion, WrongPredecessor

SOUND = leaning_archives.SOUND | arranged_archives.SOUND
NAMES = [
    "pieces of two files",
    "own pieces of several frames",
    "derived from another file",
    "several windows",
    "gathered from a predecessor",
]
BACKEND = CpuBackend(1)


def _restore(archive: bytes, bases: list[MemoryPredecessor]) -> bytes:
    opened = Archive(MemorySource(archive), beside=bases, backend=BACKEND)
    return b"".join(decode_shard(opened, n_threads=1))


@pytest.mark.parametrize("name", NAMES)
def test_every_flip_is_named(name: str) -> None:
    leaning = SOUND[name]
    archive = leaning.build()
    bases = [MemoryPredecessor(file) for file in leaning.references]
    assert _restore(archive, bases) == leaning.shard
    for position in range(0, len(archive), 3):
        damaged = bytearray(archive)
        damaged[position] ^= 1 << position % 8
        with pytest.raises((CorruptData, UnsupportedVersion)):
            _restore(bytes(damaged), bases)
        with pytest.raises((CorruptData, UnsupportedVersion)):
            decode_archive(bytes(damaged), map_by_digest(bases))


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_input_is_never_believed(name: str) -> None:
    leaning = SOUND[name]
    archive = leaning.build()
    for number, file in enumerate(leaning.references):
        for position in range(0, len(file), 101):
            changed = bytearray(file)
            changed[position] ^= 1
            files = list(leaning.references)
            files[number] = bytes(changed)
            bases = [MemoryPredecessor(other) for other in files]
            try:
                restored = _restore(archive, bases)
            except WrongPredecessor:
                continue
            assert restored == leaning.shard  # that byte is in no piece
