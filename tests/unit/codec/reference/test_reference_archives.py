"""Whole archives through the reference: inputs by digest, own bytes in any order, and every broken rule refused."""

import pytest

from support import arranged_archives, leaning_archives
from support.leaning_archives import EARLIER, MASTER, spoil_input_checksum
from weightzip.codec.reference import decode_archive
from weightzip.codec.reference.inputs import compute_digest
from weightzip.errors import CorruptData, MissingPredecessor, WrongPredecessor

SOUND = leaning_archives.SOUND | arranged_archives.SOUND
BROKEN = leaning_archives.BROKEN | arranged_archives.BROKEN


def _by_digest(*files: bytes) -> dict[bytes, bytes]:
    return {compute_digest(file): file for file in files}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_archive_is_restored(name: str) -> None:
    leaning = SOUND[name]
    assert decode_archive(leaning.build(), _by_digest(*leaning.references)) == leaning.shard


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_refused(name: str) -> None:
    leaning = BROKEN[name]
    with pytest.raises(CorruptData):
        decode_archive(leaning.build(), _by_digest(*leaning.references))


def test_the_files_it_leans_on_must_be_there_and_be_the_right_ones() -> None:
    archive = SOUND["pieces of two files"].build()
    master, earlier = map(compute_digest, (MASTER, EARLIER))
    with pytest.raises(MissingPredecessor, match=earlier.hex()):
        decode_archive(archive, {master: MASTER})
    with pytest.raises(WrongPredecessor, match=earlier.hex()):
        decode_archive(archive, {master: MASTER, earlier: MASTER})
    with pytest.raises(WrongPredecessor, match=earlier.hex()):
        decode_archive(archive, {master: MASTER, earlier: EARLIER[:-1]})


def test_a_file_that_no_frame_leans_on_need_not_be_there() -> None:
    leaning = SOUND["a reference that nothing leans on"]
    assert decode_archive(leaning.build()) == leaning.shard


def test_a_damaged_checksum_is_not_blamed_on_the_file() -> None:
    with pytest.raises(CorruptData, match="checksum of an input"):
        decode_archive(spoil_input_checksum(), _by_digest(MASTER))
