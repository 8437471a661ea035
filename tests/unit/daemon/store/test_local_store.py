"""A store in a directory: what others may have put where objects should be."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from weightzip.daemon.store.local import LocalStore
from weightzip.errors import NotFound

KEY = "objects/aa/object"
READS: dict[str, Callable[[LocalStore], object]] = {
    "whole": lambda store: store.read_bytes(KEY, 100),
    "range": lambda store: store.read_range(KEY, 0, 1),
    "size": lambda store: store.size_bytes(KEY),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize("put", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_no_object_and_is_not_waited_for(
    tmp_path: Path, put: Callable[[Path], None], read: Callable[[LocalStore], object]
) -> None:
    store = LocalStore(tmp_path)
    store.put_bytes(KEY, b"x")
    (tmp_path / KEY).unlink()
    put(tmp_path / KEY)
    assert list(store.list_objects("objects/")) == []
    with pytest.raises(NotFound, match=KEY):
        read(store)


def test_a_link_to_an_object_is_followed(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.put_bytes("elsewhere", b"bytes")
    (tmp_path / "link").symlink_to("elsewhere")
    assert store.read_bytes("link", 100) == b"bytes"
    assert store.read_range("link", 1, 2) == b"yt"


def test_a_file_in_place_of_a_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").touch()
    with pytest.raises(NotFound, match="a file stands where a directory should"):
        LocalStore(tmp_path / "store").read_bytes("weightzip-store.json", 100)
