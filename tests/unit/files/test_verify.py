"""verify_file and check_archive."""

from pathlib import Path

import pytest

from shards.build import write_step
from weightzip.errors import ContentDiffers, CorruptData, MissingPredecessor
from weightzip.files import check_archive, compress_file, verify_file


def test_a_sound_archive_is_proven(tmp_path: Path) -> None:
    shard, base, archive = write_step(tmp_path, 2), write_step(tmp_path, 1), tmp_path / "a.wzst"
    written = compress_file(shard, archive, base=base)
    names = {path.name for path in tmp_path.iterdir()}
    verified = verify_file(shard, archive, base=base)
    checked = check_archive(archive, base=base)
    assert (verified.original, checked.original) == (shard, None)
    assert verified.file_digest == checked.file_digest == written.file_digest
    assert verified.needed_digests == (written.base_digest,)
    assert verified.n_frames > 1
    assert {path.name for path in tmp_path.iterdir()} == names
    with pytest.raises(MissingPredecessor):
        check_archive(archive)


@pytest.mark.parametrize("change", ["flip", "cut", "append", "empty"])
def test_another_file_differs(tmp_path: Path, change: str) -> None:
    shard, archive = write_step(tmp_path, 2), tmp_path / "a.wzst"
    compress_file(shard, archive)
    data = bytearray(shard.read_bytes())
    data[1234] ^= 1 if change == "flip" else 0
    kept: bytes = {"flip": bytes(data), "cut": bytes(data[:-1]), "append": bytes(data) + b"!", "empty": b""}[
        change
    ]
    shard.write_bytes(kept)
    with pytest.raises(ContentDiffers):
        verify_file(shard, archive)


def test_damage_is_found_without_an_original(tmp_path: Path) -> None:
    shard, archive = write_step(tmp_path, 2), tmp_path / "a.wzst"
    compress_file(shard, archive)
    data = bytearray(archive.read_bytes())
    data[len(data) // 2] ^= 1
    archive.write_bytes(data)
    with pytest.raises(CorruptData, match=r"a\.wzst: frame \d+ \(bytes \d+ to \d+ of the file\)"):
        check_archive(archive)
