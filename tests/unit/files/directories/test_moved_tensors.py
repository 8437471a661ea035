"""Tensors that moved between the files of a checkpoint find their predecessors, and restore with them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from shards.build import Tensor, build_safetensors
from weightzip.files import CompressReport, compress_directory, decompress_directory, verify_directory

N_TENSORS = 12
N_ELEMENTS = 12_000


def _write_checkpoint(root: Path, step: int, shards: Sequence[Sequence[int]], names: Sequence[str]) -> Path:
    """Write tensors that each step moves a little; `shards` says which of them each file holds."""
    folder = root / f"step-{step}"
    folder.mkdir(parents=True)
    for name, numbers in zip(names, shards, strict=True):
        tensors = [_make_tensor(number, step) for number in numbers]
        (folder / name).write_bytes(build_safetensors(tensors))
    return folder


def _make_tensor(number: int, step: int) -> Tensor:
    values = np.random.default_rng(number).normal(0, 0.02, N_ELEMENTS)
    for one in range(1, step + 1):
        values += np.random.default_rng([number, one]).normal(0, 2e-6, N_ELEMENTS)
    return Tensor(f"layer.{number}.weight", "F32", (N_ELEMENTS,), values.astype("<f4").tobytes())


def _split(n_shards: int) -> list[list[int]]:
    return [list(map(int, part)) for part in np.array_split(np.arange(N_TENSORS), n_shards)]


def _name(n_shards: int) -> list[str]:
    return [f"model-{number:05d}-of-{n_shards:05d}.safetensors" for number in range(1, n_shards + 1)]


def _ratio(reports: Sequence[CompressReport]) -> float:
    return sum(one.stored_bytes for one in reports) / sum(one.raw_bytes for one in reports)


def _read(root: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in root.iterdir()}


@pytest.mark.parametrize("archived", [False, True], ids=["raw base", "archived base"])
def test_a_new_number_of_shards_costs_next_to_nothing(tmp_path: Path, archived: bool) -> None:
    first = _write_checkpoint(tmp_path, 1, _split(3), _name(3))
    same = _write_checkpoint(tmp_path / "same", 2, _split(3), _name(3))
    changed = _write_checkpoint(tmp_path / "changed", 2, _split(4), _name(4))
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
    first = _write_checkpoint(tmp_path, 1, [range(6), range(6, 12)], names)
    second = _write_checkpoint(tmp_path, 2, [[0, 1, 8, 9, 10, 11], [2, 3, 4, 5, 6, 7]], names)
    compress_directory(first, tmp_path / "archives-1")
    base = tmp_path / "archives-1" if archived else first
    reports = compress_directory(second, tmp_path / "archives-2", base=base)
    assert all(report.base_digest is not None and len(report.moved_digests) == 1 for report in reports)
    decompress_directory(tmp_path / "archives-2", tmp_path / "restored", base=base)
    assert _read(tmp_path / "restored") == _read(second)


def test_what_is_found_in_its_own_file_is_looked_for_nowhere_else(tmp_path: Path) -> None:
    first = _write_checkpoint(tmp_path, 1, [range(6), range(12)], ["a.safetensors", "b.safetensors"])
    (first / "unreadable.wzst").write_bytes(b"no archive at all, which looking at it would find out")
    second = _write_checkpoint(tmp_path, 2, [range(6), range(12)], ["a.safetensors", "b.safetensors"])
    reports = compress_directory(second, tmp_path / "archives", base=first)
    assert [report.moved_digests for report in reports] == [(), ()]


def test_tensors_that_are_nowhere_stand_alone(tmp_path: Path) -> None:
    first = _write_checkpoint(tmp_path, 1, [[0], [1]], ["a.safetensors", "b.safetensors"])
    second = _write_checkpoint(tmp_path, 2, [[2], [3]], ["a.safetensors", "c.safetensors"])
    reports = compress_directory(second, tmp_path / "archives", base=first)
    assert all(not report.moved_digests for report in reports)
