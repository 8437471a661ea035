"""Checkpoints whose archives lean on archives, which lean on others in turn, each in a directory of its own."""

import shutil
from pathlib import Path

import pytest

from shards.build import write_step
from shards.related import write_related
from weightzip.errors import MissingPredecessor
from weightzip.files import check_directory, compress_directory, decompress_directory


def _write_checkpoint(root: Path, step: int) -> Path:
    folder = root / f"step-{step}"
    folder.mkdir()
    for path in (*write_related(root, step), write_step(root, step)):
        path.rename(folder / path.name.replace(f"-{step}", ""))
    return folder


@pytest.mark.parametrize("first_is_raw", [True, False])
def test_further_bases_hold_what_the_first_leans_on(tmp_path: Path, first_is_raw: bool) -> None:
    steps = [_write_checkpoint(tmp_path, step) for step in (1, 2, 3, 4)]
    first = steps[0]
    if not first_is_raw:
        compress_directory(steps[0], tmp_path / "a1")
        first = tmp_path / "a1"
    archives = [tmp_path / f"a{step}" for step in (2, 3, 4)]
    bases = [first]
    for step, archive in zip(steps[1:], archives, strict=True):
        compress_directory(step, archive, base=bases)
        bases.insert(0, archive)
    expected = {path.name: path.read_bytes() for path in steps[3].iterdir()}
    for step in steps[1:]:
        shutil.rmtree(step)
    with pytest.raises(MissingPredecessor):
        check_directory(archives[2], base=archives[1])
    decompress_directory(archives[2], tmp_path / "out", base=[archives[1], first, archives[0]])
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == expected
