"""What a disk refuses, in the words of this project."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from weightzip.daemon.disk import name_disk_errors, remove_tree
from weightzip.errors import DiskFull, WeightzipError


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_a_quota_and_a_limit_on_sizes_are_full(number: int) -> None:
    with pytest.raises(DiskFull, match="/place"), name_disk_errors(Path("/place")):
        raise OSError(number, os.strerror(number))


def test_anything_else_names_the_path(tmp_path: Path) -> None:
    with pytest.raises(WeightzipError, match="nowhere: No such file") as caught, name_disk_errors(tmp_path):
        (tmp_path / "nowhere").read_bytes()
    assert not isinstance(caught.value, DiskFull)


def test_a_tree_is_removed_whatever_its_modes_and_nothing_behind_its_links(tmp_path: Path) -> None:
    outside, tree = tmp_path / "outside", tmp_path / "tree"
    for directory in (outside, tree / "closed" / "inner"):
        directory.mkdir(parents=True)
        (directory / "file").touch()
    (tree / "link").symlink_to(outside)
    (tree / "closed" / "inner").chmod(0)
    for path in (tree / "closed", tree, outside):
        path.chmod(0o500)
    remove_tree(tree)
    assert list(tmp_path.iterdir()) == [outside]
    assert stat.S_IMODE(outside.stat().st_mode) == 0o500
    remove_tree(tree)


@pytest.mark.parametrize("make", [Path.touch, lambda path: path.symlink_to("nowhere")], ids=["file", "link"])
def test_what_is_no_directory_is_removed_too(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "it")
    remove_tree(tmp_path / "it" / "below")
    remove_tree(tmp_path / "it")
    assert list(tmp_path.iterdir()) == []
