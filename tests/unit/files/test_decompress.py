"""decompress_file and decompress_stream."""

import io
from pathlib import Path

import pytest

from shards.build import Tensor, build_safetensors, write_step
from weightzip.errors import (
    CorruptData,
    MissingPredecessor,
    NotFound,
    TargetExists,
    TruncatedData,
    WrongPredecessor,
)
from weightzip.files import compress_file, decompress_file, decompress_stream, open_archive


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Return (shard, base, archive that leans on the base)."""
    shard, base, archive = write_step(tmp_path, 2), write_step(tmp_path, 1), tmp_path / "a.wzst"
    compress_file(shard, archive, base=base)
    return shard, base, archive


def test_what_was_compressed_comes_back(pair: tuple[Path, Path, Path], tmp_path: Path) -> None:
    shard, base, archive = pair
    report = decompress_file(archive, tmp_path / "out", base=base)
    assert (tmp_path / "out").read_bytes() == shard.read_bytes()
    assert (report.raw_bytes, report.stored_bytes) == (shard.stat().st_size, archive.stat().st_size)
    out = io.BytesIO()
    piped = decompress_stream(io.BytesIO(archive.read_bytes()), out, base=base)
    assert out.getvalue() == shard.read_bytes()
    assert (piped.file_digest, piped.needed_digests) == (report.file_digest, report.needed_digests)
    assert piped.stored_bytes == report.stored_bytes


def test_failures_name_the_cause_and_leave_nothing(pair: tuple[Path, Path, Path], tmp_path: Path) -> None:
    shard, base, archive = pair
    names = {path.name for path in tmp_path.iterdir()}
    with pytest.raises(MissingPredecessor, match="with digest"):
        decompress_file(archive, tmp_path / "out")
    with pytest.raises(WrongPredecessor, match="what was given is"):
        decompress_file(archive, tmp_path / "out", base=shard)
    with pytest.raises(NotFound):
        decompress_file(tmp_path / "nope", tmp_path / "out", base=base)
    with pytest.raises(TargetExists):
        decompress_file(archive, shard, base=base)
    with pytest.raises(CorruptData, match="not a weightzip archive"):
        decompress_file(shard, tmp_path / "out")
    archive.write_bytes(archive.read_bytes()[:-100])
    with pytest.raises(TruncatedData):
        decompress_file(archive, tmp_path / "out", base=base)
    assert {path.name for path in tmp_path.iterdir()} == names


def test_a_wrong_digest_in_a_sound_index_is_found(tmp_path: Path) -> None:
    """Only a writer with a bug can make such an archive; the digest is the last line."""
    from shards.archives import build_archive
    from weightzip.codec import writer

    class WrongWriter(writer.ArchiveWriter):
        def finish(self, layout: object, arrangement: object, file_digest: bytes) -> None:
            super().finish(layout, arrangement, bytes(32))  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shards.archives.ArchiveWriter", WrongWriter)
        archive = tmp_path / "a.wzst"
        archive.write_bytes(build_archive(b"some bytes"))
    with pytest.raises(CorruptData, match="recorded digest"):
        decompress_file(archive, tmp_path / "out")
    with pytest.raises(CorruptData, match="recorded digest"):
        decompress_stream(io.BytesIO(archive.read_bytes()), io.BytesIO())
    assert not (tmp_path / "out").exists()


def test_an_arranged_archive_comes_out_of_a_pipe_by_way_of_a_temporary_file(tmp_path: Path) -> None:
    tensors = [Tensor(str(number), "F32", (100,), bytes(range(200)) * 2) for number in range(20)]
    shard, archive = tmp_path / "shard", tmp_path / "a.wzst"
    shard.write_bytes(build_safetensors(tensors, hole_bytes=50))
    compress_file(shard, archive)
    with open_archive(archive) as opened:
        assert opened.info.is_arranged
    out = io.BytesIO()
    spool = tmp_path / "spool"
    spool.mkdir()
    decompress_stream(io.BytesIO(archive.read_bytes()), out, spool_directory=spool)
    assert out.getvalue() == shard.read_bytes()
    assert list(spool.iterdir()) == []
    decompress_file(archive, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == shard.read_bytes()
