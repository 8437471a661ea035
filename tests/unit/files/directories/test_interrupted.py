"""Directories that an interruption left half-done: the same command goes on; --force begins anew."""

import json
import os
import shutil
from pathlib import Path

import pytest

from shards.build import write_step
from shards.related import write_related
from weightzip.errors import TargetExists
from weightzip.files import check_directory, compress_directory, decompress_directory, verify_directory

Place = tuple[Path, Path, Path]


class _InterruptedError(Exception):
    """Ends a run after its first file."""


def _interrupt(report: object) -> None:
    raise _InterruptedError


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a checkpoint whose files lean on each other, its predecessor, and a target."""
    for step, name in ((1, "base"), (2, "source")):
        folder = tmp_path / name
        folder.mkdir()
        for path in write_related(tmp_path, step):
            path.rename(folder / path.name.replace(f"-{step}", ""))
        (folder / "state").mkdir()
        write_step(folder / "state", step).rename(folder / "state" / "x")
    return tmp_path / "source", tmp_path / "base", tmp_path / "target"


def test_compressing_goes_on_where_it_ended(place: Place) -> None:
    source, base, target = place
    with pytest.raises(_InterruptedError):
        compress_directory(source, target, base=base, on_report=_interrupt)
    first = (target / "optimizer.safetensors.wzst").stat()
    reports = compress_directory(source, target, base=base)
    assert [report.was_there for report in reports] == [True, False, False]
    assert (target / "optimizer.safetensors.wzst").stat().st_ino == first.st_ino
    verify_directory(source, target, base=base)
    shutil.rmtree(target)
    anew = compress_directory(source, target, base=base)
    for one, other in zip(reports, anew, strict=True):
        assert one.__dict__ | {"seconds": 0, "was_there": False} == other.__dict__ | {"seconds": 0}


def test_what_is_complete_is_not_compressed_again(place: Place) -> None:
    source, base, target = place
    compress_directory(source, target, base=base)
    with pytest.raises(TargetExists, match="already exists and is complete"):
        compress_directory(source, target, base=base)


def test_archives_of_other_files_are_in_the_way(place: Place) -> None:
    source, base, target = place
    with pytest.raises(_InterruptedError):
        compress_directory(source, target, base=base, on_report=_interrupt)
    with pytest.raises(TargetExists, match="leans on a file that was not given"):
        compress_directory(source, target)
    optimizer = source / "optimizer.safetensors"
    archive = target / "optimizer.safetensors.wzst"
    for change in (
        lambda: os.utime(optimizer, (1, 1)),
        lambda: optimizer.write_bytes(optimizer.read_bytes()[:-1] + b"x"),
        lambda: archive.write_bytes(b"damaged"),
    ):
        stat = optimizer.stat()
        data, stored = optimizer.read_bytes(), archive.read_bytes()
        change()
        if optimizer.read_bytes() != data:
            os.utime(optimizer, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        with pytest.raises(TargetExists, match=r"optimizer\.safetensors\.wzst: already exists"):
            compress_directory(source, target, base=base)
        optimizer.write_bytes(data)
        archive.write_bytes(stored)
        os.utime(archive, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        os.utime(optimizer, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert len(list(target.rglob("*.wzst"))) == 1


def test_restoring_goes_on_where_it_ended(place: Place, tmp_path: Path) -> None:
    source, base, target = place
    compress_directory(source, target, base=base)
    with pytest.raises(_InterruptedError):
        decompress_directory(target, tmp_path / "out", base=base, on_report=_interrupt)
    reports = decompress_directory(target, tmp_path / "out", base=base)
    assert [report.was_there for report in reports] == [True, False, False]
    assert all(report.was_there for report in decompress_directory(target, tmp_path / "out", base=base))
    verify_directory(tmp_path / "out", target, base=base)


def test_nothing_is_restored_into_a_directory_of_other_files(place: Place) -> None:
    source, base, target = place
    compress_directory(source, target, base=base)
    expected = {path: path.read_bytes() for path in base.rglob("*") if path.is_file()}
    (base / "state" / "x").unlink()  # there would be room for this one
    del expected[base / "state" / "x"]
    with pytest.raises(TargetExists, match="does not agree with"):
        decompress_directory(target, base)
    assert {path: path.read_bytes() for path in base.rglob("*") if path.is_file()} == expected


def test_force_replaces_the_whole_directory(place: Place, tmp_path: Path) -> None:
    source, base, target = place
    compress_directory(base, target)
    decompress_directory(target, tmp_path / "out")
    (source / "optimizer.safetensors").rename(source / "rank-0")
    (source / "model.safetensors").unlink()
    (source / "model.safetensors.wzst").symlink_to("state")
    reports = compress_directory(source, target, base=base, force=True)
    assert not any(report.was_there for report in reports)
    verify_directory(source, target, base=base)
    check_directory(target, base=base)
    decompress_directory(target, tmp_path / "out", base=base, force=True)
    verify_directory(tmp_path / "out", target, base=base)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "model.safetensors.wzst",
        "rank-0",
        "state",
    ]


def test_a_forced_run_that_ends_early_is_not_complete(place: Place) -> None:
    source, base, target = place
    compress_directory(base, target)
    with pytest.raises(_InterruptedError):
        compress_directory(source, target, base=base, force=True, on_report=_interrupt)
    assert not (target / "weightzip-manifest.json").exists()
    with pytest.raises(TargetExists):
        compress_directory(source, target, base=base)
    compress_directory(source, target, base=base, force=True)
    assert set(json.loads((target / "weightzip-manifest.json").read_text())["files"]) == {
        "model.safetensors",
        "optimizer.safetensors",
        "state/x",
    }
