"""A full disk beneath a store is named, leaves nothing behind, and is forgotten when there is space again."""

import subprocess
from pathlib import Path

import pytest

from support.mounts import small_disk
from support.repositories import Publisher
from support.store_checker import check_store, read_raw
from weightzip.daemon.store.local import LocalStore
from weightzip.errors import DiskFull


def test_a_full_store_lists_nothing_partial_and_goes_on_later(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        store = LocalStore(disk / "store")
        publisher = Publisher(store, tmp_path, n_elements=400_000)
        with pytest.raises(DiskFull, match="store"):
            publisher.publish(100)
        assert check_store(read_raw(store)) == {}
        assert list(store.list_objects("tmp/")) == []
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        publisher.publish(100)
        assert set(check_store(read_raw(store))) == {100}
