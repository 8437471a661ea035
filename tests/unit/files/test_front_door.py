"""What a Python user meets first: the version, the names, and mistakes that are told as such."""

from pathlib import Path

import pytest

import weightzip
from shards.build import write_step
from weightzip.errors import TargetExists, UsageError


def test_the_version_and_the_names_are_there() -> None:
    from importlib.metadata import version

    assert weightzip.__version__ == version("weightzip")
    assert {*weightzip.__all__, "__version__"} <= set(dir(weightzip))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        weightzip.nonsense  # noqa: B018


def test_mistakes_are_errors_of_the_family(tmp_path: Path) -> None:
    first, second = write_step(tmp_path, 1), write_step(tmp_path, 2)
    weightzip.compress_file(second, tmp_path / "a", base=first)
    for call in (
        lambda: weightzip.compress_file(second, tmp_path / "b", base=first, n_threads=-4),
        lambda: weightzip.decompress_file(tmp_path / "a", tmp_path / "b", base=first, n_threads=-4),
        lambda: weightzip.verify_file(second, tmp_path / "a", base=first, n_threads=-4),
        lambda: weightzip.compress_directory(tmp_path / "a", tmp_path / "b"),
        lambda: weightzip.decompress_file(tmp_path / "a", tmp_path / "a", force=True),
    ):
        with pytest.raises(UsageError):
            call()
    assert not (tmp_path / "b").exists()
    with pytest.raises(TargetExists) as caught:
        weightzip.compress_file(second, tmp_path / "a")
    assert "force=True" in caught.value.hint
