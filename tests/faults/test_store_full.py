"""A full disk beneath a store is named, leaves nothing behind, and is forgotten when there is space again."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.repositories import Publisher
from support.store_checker import check_store, read_raw
from weightzip.daemon.store.local import LocalStore
from weightzip.errors import DiskFull

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a file system of 1 MB."""
    path = tmp_path / "disk"
    path.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(path)]
    mounted = subprocess.run(command, check=False, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"this machine does not let us mount: {mounted.stderr.strip()}")
    yield path
    subprocess.run(["umount", str(path)], check=True)


def test_a_full_store_lists_nothing_partial_and_goes_on_later(small_disk: Path, tmp_path: Path) -> None:
    store = LocalStore(small_disk / "store")
    publisher = Publisher(store, tmp_path, n_elements=400_000)
    with pytest.raises(DiskFull, match="store"):
        publisher.publish(100)
    assert check_store(read_raw(store)) == {}
    assert list(store.list_objects("tmp/")) == []
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    publisher.publish(100)
    assert set(check_store(read_raw(store))) == {100}
