"""Tensors that moved between the files of a checkpoint find their predecessors, and restore with them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from shards.moving import name_shards, split_evenly, write_shards
from weightzip.files import CompressReport, compress_directory, decompress_directory, verify_directory

N_TENSORS = 12


def _ratio(reports: Sequence[CompressReport]) -> float:
    return sum(one.stored_bytes for one in reports) / sum(one.raw_bytes for one in reports)


def _read(root: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in root.iterdir()}


@pytest.mark.parametrize("archived", [False, True], ids=["raw base", "archived base"])
def test_a_new_number_of_shards_costs_next_to_nothing(tmp_path: Path, archived: bool) -> None:
    first = write_shards(tmp_path / "step-1", 1, split_evenly(N_TENSORS, 3), name_shards(3))
    same = write_shards(tmp_path / "same", 2, split_evenly(N_TENSORS, 3), name_shards(3))
    changed = write_shards(tmp_path / "changed", 2, split_evenly(N_TENSORS, 4), name_shards(4))
    compress_directory(first, tmp_path / "first.archives")
    base = tmp_path / "first.archives" if archived else first
    equal = compress_directory(same, tmp_path / "same.archives", base=base)
    moved = compress_directory(changed, tmp_path / "changed.archives", base=base)
    alone = compress_directory(changed, tmp_path / "alone.archives")
    assert _ratio(moved) < _ratio(equal) * 1.01
    assert _ratio(moved) < _ratio(alone) * 0.8
    assert all(report.base_digest is None and report.moved_digests for report in moved)
    verify_directory(changed, tmp_path / "changed.archives", base=base)
    decompress_directory(tmp_path / "changed.archives", tmp_path / "restored", base=base)
    assert _read(tmp_path / "restored") == _read(changed)


@pytest.mark.parametrize("archived", [False, True], ids=["raw base", "archived base"])
def test_tensors_that_change_places_lean_on_both_files(tmp_path: Path, archived: bool) -> None:
    names = ["a.safetensors", "b.safetensors"]
    first = write_shards(tmp_path / "step-1", 1, [range(6), range(6, 12)], names)
    second = write_shards(tmp_path / "step-2", 2, [[0, 1, 8, 9, 10, 11], [2, 3, 4, 5, 6, 7]], names)
    compress_directory(first, tmp_path / "archives-1")
    base = tmp_path / "archives-1" if archived else first
    reports = compress_directory(second, tmp_path / "archives-2", base=base)
    assert all(report.base_digest is not None and len(report.moved_digests) == 1 for report in reports)
    decompress_directory(tmp_path / "archives-2", tmp_path / "restored", base=base)
    assert _read(tmp_path / "restored") == _read(second)


def test_what_is_found_in_its_own_file_is_looked_for_nowhere_else(tmp_path: Path) -> None:
    first = write_shards(tmp_path / "step-1", 1, [range(6), range(12)], ["a.safetensors", "b.safetensors"])
    (first / "unreadable.wzst").write_bytes(b"no archive at all, which looking at it would find out")
    second = write_shards(tmp_path / "step-2", 2, [range(6), range(12)], ["a.safetensors", "b.safetensors"])
    reports = compress_directory(second, tmp_path / "archives", base=first)
    assert [report.moved_digests for report in reports] == [(), ()]


def test_tensors_that_are_nowhere_stand_alone(tmp_path: Path) -> None:
    first = write_shards(tmp_path / "step-1", 1, [[0], [1]], ["a.safetensors", "b.safetensors"])
    second = write_shards(tmp_path / "step-2", 2, [[2], [3]], ["a.safetensors", "c.safetensors"])
    reports = compress_directory(second, tmp_path / "archives", base=first)
    assert all(not report.moved_digests for report in reports)
