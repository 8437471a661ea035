"""Files that are held for others to lean on: which are taken, and that they are closed."""

from pathlib import Path

import pytest

from shards.build import write_step
from weightzip.errors import SourceChanged
from weightzip.files import beside
from weightzip.files.beside import BesideFiles, rank_file

DIGEST, OTHER = "ab" * 32, "cd" * 32


def test_files_with_tensors_are_taken_and_found_by_digest(tmp_path: Path) -> None:
    first, second = write_step(tmp_path, 1), write_step(tmp_path, 2)
    text = tmp_path / "config.json"
    text.write_text("{}")
    with BesideFiles() as files:
        files.offer(first, DIGEST, leans=False)
        files.offer(text, "ef" * 32, leans=False)
        files.offer(second, OTHER, leans=False)
        assert [file.digest.hex() for file in files.files] == [DIGEST, OTHER]
        assert files.find_paths([OTHER, "00" * 32]) == (second,)


def test_files_that_lean_on_others_are_not_taken(tmp_path: Path) -> None:
    with BesideFiles() as files:
        files.offer(write_step(tmp_path, 1), DIGEST, leans=True)
        assert files.files == ()


def test_files_without_tensors_do_not_stay_open(tmp_path: Path) -> None:
    text = tmp_path / "config.json"
    text.write_text("{}")
    with BesideFiles() as files:
        opened_before = len(list(Path("/proc/self/fd").iterdir()))
        for number in range(20):
            files.offer(text, f"{number:064x}", leans=False)
        assert len(list(Path("/proc/self/fd").iterdir())) == opened_before


def test_the_largest_file_comes_first() -> None:
    sizes = {"a": 1, "c": 9, "b": 9}
    assert sorted(sizes, key=lambda path: rank_file(sizes[path], path)) == ["b", "c", "a"]


def test_they_are_closed_at_the_end(tmp_path: Path) -> None:
    with BesideFiles() as files:
        files.offer(write_step(tmp_path, 1), DIGEST, leans=False)
        (file,) = files.files
        assert len(file.read_at(0, 8)) == 8
    with pytest.raises((OSError, ValueError)):
        file.read_at(0, 8)


def test_no_more_than_enough_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "MAX_BESIDE", 1)
    with BesideFiles() as files:
        files.offer(write_step(tmp_path, 1), DIGEST, leans=False)
        files.offer(write_step(tmp_path, 2), OTHER, leans=False)
        assert len(files.files) == 1


def test_a_file_that_is_gone_has_changed(tmp_path: Path) -> None:
    with BesideFiles() as files, pytest.raises(SourceChanged, match="nope"):
        files.offer(tmp_path / "nope", DIGEST, leans=False)
