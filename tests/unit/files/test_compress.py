"""compress_file: what it writes, what it reports, what it refuses, and that failures leave nothing behind."""

import argparse
import os
from pathlib import Path

import pytest

from shards.archives import compute_digest
from shards.build import build_step, write_step
from weightzip.codec.backend import CpuBackend
from weightzip.codec.recipes.recipe import Recipe
from weightzip.codec.source import BytesLike
from weightzip.errors import NotFound, SourceChanged, TargetExists, UsageError, VerificationFailed
from weightzip.files import compress_file, decompress_file, open_archive


def _list_names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_the_report_tells_what_was_written(tmp_path: Path) -> None:
    source, base = write_step(tmp_path, 2), write_step(tmp_path, 1)
    target = tmp_path / "a.wzst"
    seen: list[tuple[int, int]] = []
    report = compress_file(source, target, base=base, progress=lambda *done: seen.append(done))
    stored = target.read_bytes()
    assert (report.source, report.target) == (source, target)
    assert report.raw_bytes == source.stat().st_size
    assert report.stored_bytes == len(stored)
    assert report.file_digest == compute_digest(source.read_bytes()).hex()
    assert report.archive_digest == compute_digest(stored).hex()
    assert report.base_digest == compute_digest(base.read_bytes()).hex()
    assert report.n_tensors == 8
    assert 0 < sum(report.stored_bytes_by_method.values()) < report.stored_bytes
    assert seen[-1] == (report.raw_bytes, report.raw_bytes)


def test_a_base_that_no_frame_leans_on_is_not_reported(tmp_path: Path) -> None:
    source, base = tmp_path / "s", tmp_path / "b"
    source.write_bytes(b"one thing")
    base.write_bytes(b"another")
    target = tmp_path / "a.wzst"
    assert compress_file(source, target, base=base).base_digest is None
    assert decompress_file(target, tmp_path / "out").needed_digests == ()


def test_mode_and_time_go_with_the_file(tmp_path: Path) -> None:
    source = write_step(tmp_path, 1)
    source.chmod(0o640)
    os.utime(source, ns=(1_600_000_000_000_000_001, 1_600_000_000_123_456_789))
    archive, restored = tmp_path / "a.wzst", tmp_path / "out"
    compress_file(source, archive)
    decompress_file(archive, restored)
    for path in (archive, restored):
        assert path.stat().st_mode & 0o777 == 0o640
        assert path.stat().st_mtime_ns == 1_600_000_000_123_456_789


def test_the_same_input_gives_the_same_bytes_on_any_number_of_threads(tmp_path: Path) -> None:
    source, base = write_step(tmp_path, 2), write_step(tmp_path, 1)
    archives = []
    for n_threads in (1, 2, 7):
        target = tmp_path / f"{n_threads}.wzst"
        compress_file(source, target, base=base, n_threads=n_threads)
        archives.append(target.read_bytes())
    assert archives[0] == archives[1] == archives[2]


def test_an_existing_target_is_kept_without_force(tmp_path: Path) -> None:
    source, target = write_step(tmp_path, 1), tmp_path / "a.wzst"
    target.write_bytes(b"precious")
    with pytest.raises(TargetExists):
        compress_file(source, target)
    assert target.read_bytes() == b"precious"
    compress_file(source, target, force=True)
    with open_archive(target) as archive:
        assert archive.info.file_bytes == source.stat().st_size


def test_nonsense_is_refused(tmp_path: Path) -> None:
    source = write_step(tmp_path, 1)
    with pytest.raises(NotFound, match="no such file"):
        compress_file(tmp_path / "nope", tmp_path / "a.wzst")
    with pytest.raises(NotFound, match="no such directory"):
        compress_file(source, tmp_path / "nope" / "a.wzst")
    with pytest.raises(NotFound, match="no such file"):
        compress_file(source, tmp_path / "a.wzst", base=tmp_path / "nope")
    with pytest.raises(UsageError, match="not a regular file"):
        compress_file(Path("/dev/null"), tmp_path / "a.wzst")
    with pytest.raises(UsageError, match="is a directory"):
        compress_file(source, tmp_path, force=True)
    with pytest.raises(UsageError, match="same file"):
        compress_file(source, source, force=True)
    assert _list_names(tmp_path) == {source.name}


class LyingBackend(CpuBackend):
    """A backend whose encoder flips a bit of what it is given: memory gone bad."""

    def encode_blocks(
        self, raw: BytesLike, predecessor: BytesLike | None, companion: BytesLike | None, recipe: Recipe
    ) -> bytes:
        damaged = bytearray(raw)
        damaged[len(damaged) // 2] ^= 1
        return super().encode_blocks(damaged, predecessor, companion, recipe)


def test_an_archive_that_does_not_restore_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_step(tmp_path, 1)
    monkeypatch.setattr("weightzip.files.compress.CpuBackend", LyingBackend)
    with pytest.raises(VerificationFailed, match="does not decode"):
        compress_file(source, tmp_path / "a.wzst")
    assert _list_names(tmp_path) == {source.name}


@pytest.mark.parametrize("change", ["append", "cut", "rewrite", "replace"])
def test_a_source_that_changes_is_abandoned(tmp_path: Path, change: str) -> None:
    source = write_step(tmp_path, 1)
    data = build_step(1)

    def interfere(done_bytes: int, total_bytes: int) -> None:
        if done_bytes == total_bytes:
            if change == "replace":
                (tmp_path / "new").write_bytes(data)
                (tmp_path / "new").replace(source)
            elif change == "cut":
                os.truncate(source, 10)
            else:
                source.write_bytes(data + (b"!" if change == "append" else b""))
                os.utime(source, ns=(0, 1))

    with pytest.raises(SourceChanged):
        compress_file(source, tmp_path / "a.wzst", progress=interfere)
    assert _list_names(tmp_path) == {source.name}


def test_a_source_cut_while_it_is_read_is_abandoned(tmp_path: Path) -> None:
    source = tmp_path / "large"
    source.write_bytes(os.urandom(1 << 20) * 40)

    def cut(done_bytes: int, total_bytes: int) -> None:
        os.truncate(source, 10)

    with pytest.raises(SourceChanged, match="shorter"):
        compress_file(source, tmp_path / "a.wzst", progress=cut)
    assert _list_names(tmp_path) == {"large"}


def test_a_base_that_changes_is_abandoned(tmp_path: Path) -> None:
    """Its digest stands in the header already: the archive could never be restored."""
    source, base = write_step(tmp_path, 2), write_step(tmp_path, 1)
    names = _list_names(tmp_path)
    with pytest.raises(SourceChanged, match="step-1"):
        compress_file(source, tmp_path / "a.wzst", base=base, progress=lambda *_: os.utime(base, ns=(0, 1)))
    assert _list_names(tmp_path) == names


def test_a_source_that_is_removed_meanwhile_is_still_whole(tmp_path: Path) -> None:
    source = write_step(tmp_path, 1)
    target = tmp_path / "a.wzst"
    compress_file(source, target, progress=lambda *_: source.unlink(missing_ok=True))
    decompress_file(target, source)
    assert source.read_bytes() == build_step(1)


def test_a_base_may_be_an_archive_by_path_or_open(tmp_path: Path) -> None:
    steps = [write_step(tmp_path, step) for step in range(3)]
    archives = [tmp_path / f"{step}.wzst" for step in range(3)]
    compress_file(steps[0], archives[0])
    compress_file(steps[1], archives[1], base=archives[0])
    with open_archive(archives[1], base=archives[0]) as opened:
        compress_file(steps[2], archives[2], base=opened)
        decompress_file(archives[2], tmp_path / "out", base=opened)
    assert (tmp_path / "out").read_bytes() == steps[2].read_bytes()


@pytest.mark.parametrize("role", ["source", "base"])
def test_what_the_archive_needs_is_not_replaced_by_it(tmp_path: Path, role: str) -> None:
    files = {"source": write_step(tmp_path, 2), "base": write_step(tmp_path, 1)}
    before = files[role].read_bytes()
    with pytest.raises(UsageError, match=f"{role} and target are the same file"):
        compress_file(files["source"], files[role], base=files["base"], force=True)
    assert files[role].read_bytes() == before


def test_only_a_regular_file_is_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="pipe: is not a regular file"):
        compress_file(write_step(tmp_path, 1), tmp_path / "pipe", force=True)
    assert (tmp_path / "pipe").is_fifo()


def test_a_private_file_is_private_from_the_start(tmp_path: Path) -> None:
    source = write_step(tmp_path, 1)
    source.chmod(0o600)
    modes: set[int] = set()

    def watch(done_bytes: int, total_bytes: int) -> None:
        modes.update(path.stat().st_mode & 0o777 for path in tmp_path.glob(".weightzip-*"))

    compress_file(source, tmp_path / "a.wzst", progress=watch)
    assert modes == {0o600}


def test_a_refusal_names_the_target_not_a_temporary_name(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match=r"file/a\.wzst"):
        compress_file(write_step(tmp_path, 1), tmp_path / "file" / "a.wzst")


def test_a_level_is_one_that_there_is(tmp_path: Path) -> None:
    source = tmp_path / "notes.txt"
    source.write_text(Path(argparse.__file__).read_text())
    sizes = [
        compress_file(source, tmp_path / level, level=level).stored_bytes
        for level in ("fast", "default", "max")
    ]
    assert sizes[0] > sizes[1] > sizes[2]
    with pytest.raises(UsageError, match="'best' is no level: it is one of fast, default, max"):
        compress_file(source, tmp_path / "best", level="best")  # type: ignore[arg-type]
    assert not (tmp_path / "best").exists()
