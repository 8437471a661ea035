"""The files around a shard: plain ones are opened, whatever else bears the name is not there."""

import os
from pathlib import Path

import pytest

from support.privileges import without_privileges
from weightzip.codec.containers.surroundings import DirectorySurroundings


def _read(directory: Path, name: str) -> bytes | None:
    with DirectorySurroundings(directory / "shard").open_file(name) as source:
        return None if source is None else bytes(source.read_at(0, source.size_bytes))


def test_files_beside_are_opened(tmp_path: Path) -> None:
    (tmp_path / "beside").write_bytes(b"metadata")
    assert _read(tmp_path, "beside") == b"metadata"
    assert _read(tmp_path, "missing") is None


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../beside", "nul\0", "x" * 5000])
def test_names_that_lead_elsewhere_are_not_there(name: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(b"")
    assert _read(tmp_path, name) is None


def test_links_pipes_and_directories_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"secret")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "directory").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert [_read(tmp_path, name) for name in ("link", "directory", "pipe")] == [None] * 3


def test_a_file_that_may_not_be_read_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "closed").write_bytes(b"")
    (tmp_path / "closed").chmod(0)
    tmp_path.chmod(0o755)
    with without_privileges():
        assert _read(tmp_path, "closed") is None
