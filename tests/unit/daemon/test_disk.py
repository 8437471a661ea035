"""What a disk refuses, in the words of this project."""

import errno
import os
from pathlib import Path

import pytest

from weightzip.daemon.disk import name_disk_errors
from weightzip.errors import DiskFull, WeightzipError


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_a_quota_and_a_limit_on_sizes_are_full(number: int) -> None:
    with pytest.raises(DiskFull, match="/place"), name_disk_errors(Path("/place")):
        raise OSError(number, os.strerror(number))


def test_anything_else_names_the_path(tmp_path: Path) -> None:
    with pytest.raises(WeightzipError, match="nowhere: No such file") as caught, name_disk_errors(tmp_path):
        (tmp_path / "nowhere").read_bytes()
    assert not isinstance(caught.value, DiskFull)
