"""Files that lean on others which were saved with them, and on themselves: written, proven, restored from anywhere."""

import errno
import io
import shutil
from pathlib import Path

import pytest

from shards.archives import compute_digest
from shards.related import write_related
from weightzip.errors import (
    CorruptData,
    DiskFull,
    MissingPredecessor,
    SourceChanged,
    UsageError,
    WrongPredecessor,
)
from weightzip.files import (
    check_archive,
    compress_file,
    decompress_file,
    decompress_stream,
    open_archive,
    verify_file,
    write_restored,
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Return a model and the optimizer that it was saved with."""
    return write_related(tmp_path, 2)


def _list_names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_a_model_costs_nothing_beside_its_masters(files: tuple[Path, Path], tmp_path: Path) -> None:
    model, optimizer = files
    archive = tmp_path / "model.wzst"
    report = compress_file(model, archive, beside=[optimizer])
    assert report.stored_bytes < 1500 < report.raw_bytes // 20
    assert report.base_digest is None
    assert report.beside_digests == (compute_digest(optimizer.read_bytes()).hex(),)
    restored = decompress_file(archive, tmp_path / "out", beside=[optimizer])
    assert (tmp_path / "out").read_bytes() == model.read_bytes()
    assert restored.needed_digests == report.beside_digests
    assert verify_file(model, archive, beside=[optimizer]).needed_digests == report.beside_digests
    assert check_archive(archive, beside=[optimizer]).file_digest == report.file_digest
    with open_archive(archive, beside=[optimizer]) as opened:
        assert bytes(opened.tensor("model.b.0.weight").data) in model.read_bytes()


def test_base_and_beside_may_be_given_in_any_order(tmp_path: Path) -> None:
    (_, base), (model, optimizer) = write_related(tmp_path, 1), write_related(tmp_path, 2)
    first, second = tmp_path / "optimizer.wzst", tmp_path / "model.wzst"
    report = compress_file(optimizer, first, base=base, beside=[model])
    assert report.base_digest == compute_digest(base.read_bytes()).hex()
    assert report.beside_digests == ()  # a copy tells nothing of its master
    compress_file(model, second, base=tmp_path / "model-1.safetensors", beside=[optimizer])
    decompress_file(first, tmp_path / "one", beside=[model, base])
    with open_archive(first, base=base) as opened:
        decompress_file(second, tmp_path / "two", base=opened, beside=[tmp_path / "model-1.safetensors"])
    assert (tmp_path / "one").read_bytes() == optimizer.read_bytes()
    assert (tmp_path / "two").read_bytes() == model.read_bytes()


def test_files_that_are_not_needed_are_not_named(files: tuple[Path, Path], tmp_path: Path) -> None:
    model, optimizer = files
    other = tmp_path / "other"
    other.write_bytes(b"something else")
    report = compress_file(optimizer, tmp_path / "a.wzst", beside=[other, model])
    assert report.beside_digests == ()
    with open_archive(tmp_path / "a.wzst") as opened:
        assert opened.info.references == ()
        assert opened.info.leans_on_itself


def test_what_is_missing_or_wrong_is_named(files: tuple[Path, Path], tmp_path: Path) -> None:
    model, optimizer = files
    _, other = write_related(tmp_path, 3)
    archive = tmp_path / "model.wzst"
    compress_file(model, archive, beside=[optimizer])
    digests = [compute_digest(path.read_bytes()).hex() for path in (optimizer, other)]
    with pytest.raises(MissingPredecessor, match=digests[0]):
        decompress_file(archive, tmp_path / "out")
    with pytest.raises(WrongPredecessor, match=f"{digests[0]}.*{digests[1]}"):
        decompress_file(archive, tmp_path / "out", beside=[other])
    decompress_file(archive, tmp_path / "out", beside=[other, optimizer])


def test_nothing_is_made_of_what_it_leans_on(files: tuple[Path, Path], tmp_path: Path) -> None:
    model, optimizer = files
    with pytest.raises(UsageError, match="source and file beside it are the same file"):
        compress_file(model, tmp_path / "a.wzst", beside=[model])
    before = optimizer.read_bytes()
    with pytest.raises(UsageError, match="file beside the source and target"):
        compress_file(model, optimizer, beside=[optimizer], force=True)
    assert optimizer.read_bytes() == before


def test_a_file_beside_that_changes_is_noticed(files: tuple[Path, Path], tmp_path: Path) -> None:
    model, optimizer = files
    with pytest.raises(SourceChanged, match="optimizer"):
        compress_file(model, tmp_path / "a.wzst", beside=[optimizer], progress=lambda *_: optimizer.touch())
    assert not (tmp_path / "a.wzst").exists()


class Pipe(io.RawIOBase):
    """A pipe that gives at most 1000 bytes at a time and cannot seek."""

    def __init__(self, data: bytes) -> None:
        self._inner = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def read(self, n_bytes: int = -1, /) -> bytes:
        return self._inner.read(min(n_bytes, 1000))


@pytest.fixture
def piped(files: tuple[Path, Path], tmp_path: Path) -> bytes:
    """Return the archive of the optimizer, which leans on itself."""
    compress_file(files[1], tmp_path / "optimizer.wzst")
    return (tmp_path / "optimizer.wzst").read_bytes()


def test_a_pipe_of_what_leans_on_itself_goes_through_a_file(
    files: tuple[Path, Path], piped: bytes, tmp_path: Path
) -> None:
    spool, out = tmp_path / "spool", io.BytesIO()
    spool.mkdir()
    report = decompress_stream(Pipe(piped), out, spool_directory=spool)  # type: ignore[arg-type]
    assert out.getvalue() == files[1].read_bytes()
    assert (report.raw_bytes, report.stored_bytes) == (len(out.getvalue()), len(piped))
    assert _list_names(spool) == set()


@pytest.mark.parametrize("damage", ["cut", "longer", "flipped"])
def test_a_damaged_pipe_leaves_no_file_behind(piped: bytes, tmp_path: Path, damage: str) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    flipped = piped[:5000] + bytes([piped[5000] ^ 1]) + piped[5001:]
    data = {"cut": piped[:-1], "longer": piped + b"!", "flipped": flipped}[damage]
    with pytest.raises(CorruptData):
        decompress_stream(Pipe(data), io.BytesIO(), spool_directory=spool)  # type: ignore[arg-type]
    assert _list_names(spool) == set()


def test_a_disk_that_is_full_is_told(piped: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", fail)
    spool = tmp_path / "spool"
    spool.mkdir()
    with pytest.raises(DiskFull):
        decompress_stream(Pipe(piped), io.BytesIO(), spool_directory=spool)  # type: ignore[arg-type]
    assert _list_names(spool) == set()


def test_an_archive_on_disk_is_restored_into_a_pipe(
    files: tuple[Path, Path], piped: bytes, tmp_path: Path
) -> None:
    out = io.BytesIO()
    report = write_restored(tmp_path / "optimizer.wzst", out)
    assert out.getvalue() == files[1].read_bytes()
    assert report.stored_bytes == len(piped)
