"""Archives that lean on other files and on themselves, or are arranged, mean the same to the product and to the reference, broken ones too."""

import io

import pytest

from shards.archives import MemoryPredecessor, build_archive, map_by_digest
from shards.build import build_step
from support import arranged_archives, leaning_archives
from support.leaning_archives import LeaningArchive, spoil_input_checksum
from weightzip.codec.backend import CpuBackend
from weightzip.codec.decoder import decode_shard
from weightzip.codec.reader import Archive
from weightzip.codec.reference import decode_archive
from weightzip.codec.source import MemorySource
from weightzip.codec.stream import StreamDecoder
from weightzip.errors import CorruptData, UsageError

BACKEND = CpuBackend(1)
SOUND = leaning_archives.SOUND | arranged_archives.SOUND
BROKEN = leaning_archives.BROKEN | arranged_archives.BROKEN


def _restore(archive: bytes, bases: list[MemoryPredecessor]) -> bytes:
    opened = Archive(MemorySource(archive), beside=bases, backend=BACKEND)
    return b"".join(decode_shard(opened, n_threads=1))


def _stream(archive: bytes, bases: list[MemoryPredecessor]) -> bytes:
    return b"".join(StreamDecoder(io.BytesIO(archive), predecessor=None, beside=bases, backend=BACKEND))


def _list_bases(leaning: LeaningArchive) -> list[MemoryPredecessor]:
    return [MemoryPredecessor(file) for file in leaning.references]


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_archive_is_restored(name: str) -> None:
    leaning = SOUND[name]
    archive, bases = leaning.build(), _list_bases(leaning)
    assert _restore(archive, bases) == leaning.shard
    if leaning.flags:
        with pytest.raises(UsageError):
            _stream(archive, bases)
    else:
        assert _stream(archive, bases) == leaning.shard


@pytest.mark.parametrize("name", SOUND)
def test_any_range_of_a_sound_archive_is_read_alone(name: str) -> None:
    leaning = SOUND[name]
    opened = Archive(MemorySource(leaning.build()), beside=_list_bases(leaning), backend=BACKEND)
    for begin in range(0, len(leaning.shard), 997):
        part = leaning.shard[begin : begin + 1500]
        assert bytes(opened.read_range(begin, len(part))) == part


def test_the_widest_window_is_restored_by_both() -> None:
    widest = arranged_archives.WIDEST
    archive = widest.build()
    assert _restore(archive, []) == decode_archive(archive) == widest.shard


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_refused(name: str) -> None:
    leaning = BROKEN[name]
    archive, bases = leaning.build(), _list_bases(leaning)
    with pytest.raises(CorruptData):
        _restore(archive, bases)
    with pytest.raises(UsageError if 0 < leaning.flags <= 3 else CorruptData):
        _stream(archive, bases)


def test_a_damaged_checksum_is_not_blamed_on_the_file() -> None:
    bases = _list_bases(SOUND["pieces of two files"])
    with pytest.raises(CorruptData):
        _restore(spoil_input_checksum(), bases)


@pytest.mark.parametrize("has_predecessor", [False, True])
def test_the_reference_reads_what_the_product_writes(has_predecessor: bool) -> None:
    shard = build_step(2, n_elements=3000)
    bases = [MemoryPredecessor(build_step(1, n_elements=3000))] if has_predecessor else []
    archive = build_archive(shard, *bases)
    assert decode_archive(archive, map_by_digest(bases)) == shard
