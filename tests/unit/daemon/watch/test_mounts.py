"""The mount table: which file system holds a path, and what follows from it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightzip.daemon.watch.mounts import (
    choose_watch_mode,
    find_file_system,
    is_network,
    read_file_system,
    shows_holes,
)

TABLE = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 22 0:35 / /mnt/data rw shared:20 master:1 - nfs4 server:/export rw,vers=4.2
41 40 0:36 / /mnt/data/fast rw - xfs /dev/nvme0n1 rw
42 22 0:37 / /mnt/with\\040space rw - fuse.s3fs s3fs rw
43 22 0:38 / /mnt/over rw - ext4 /dev/a rw
44 22 0:39 / /mnt/over rw - tmpfs tmpfs rw
broken line
"""


@pytest.mark.parametrize(
    ("path", "file_system"),
    [
        ("/home/x", "ext4"),
        ("/mnt/data", "nfs4"),
        ("/mnt/data/ckpt", "nfs4"),
        ("/mnt/database", "ext4"),
        ("/mnt/data/fast/ckpt", "xfs"),
        ("/mnt/with space/a", "fuse.s3fs"),
        ("/mnt/over/a", "tmpfs"),
    ],
)
def test_the_longest_and_topmost_mount_decides(path: str, file_system: str) -> None:
    assert find_file_system(path, TABLE) == file_system


def test_an_empty_table_is_unknown() -> None:
    assert find_file_system("/x", "") == "unknown"


@given(st.text(max_size=300))
def test_no_table_crashes_the_parser(table: str) -> None:
    assert isinstance(find_file_system("/x", table), str)


def test_the_real_table_knows_the_root() -> None:
    from pathlib import Path

    assert read_file_system(Path("/proc")) == "proc"


@pytest.mark.parametrize("name", ["nfs", "nfs4", "cifs", "fuse", "fuse.sshfs", "9p", "lustre"])
def test_network_file_systems_are_polled_unless_told_otherwise(name: str) -> None:
    assert is_network(name)
    assert choose_watch_mode("auto", name) == "poll"
    assert choose_watch_mode("events", name) == "events"
    assert not shows_holes(name)


def test_local_file_systems_have_events() -> None:
    assert choose_watch_mode("auto", "ext4") == "events"
    assert choose_watch_mode("poll", "ext4") == "poll"
    assert shows_holes("xfs")
    assert not shows_holes("zfs")
