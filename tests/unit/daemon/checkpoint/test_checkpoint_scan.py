"""A scan lists what is there and refuses what no checkpoint can hold; paths of a manifest cannot lead outside."""

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from blake3 import blake3

from support.checkpoints import write_checkpoint
from weightzip.daemon.checkpoint import (
    FileEntry,
    check_entry_path,
    checkpoint_identity,
    hash_file,
    resolve_entry_path,
    scan_tree,
)
from weightzip.errors import CorruptData, NotFound, UsageError


def test_a_directory_lists_itself_and_all_below(tmp_path: Path) -> None:
    entries = {entry.path: entry for entry in scan_tree(write_checkpoint(tmp_path, 3))}
    assert entries["."].kind == "directory"
    assert entries["nested/hollow"].kind == "directory"
    assert entries["nested"].mode == 0o750
    assert entries["config.json"].mode == 0o640
    assert entries["trainer_state.json"].size_bytes == len('{"global_step": 3}')
    assert entries["latest.safetensors"].target == "model.safetensors"
    assert entries["elsewhere"].target == "/nonexistent/place"
    assert next(iter(entries)) == "."
    assert list(entries)[1:] == sorted(set(entries) - {"."}, key=str.encode)


def test_a_single_file_is_its_own_root(tmp_path: Path) -> None:
    (tmp_path / "last.ckpt").write_bytes(b"12345")
    (entry,) = scan_tree(tmp_path / "last.ckpt")
    assert (entry.path, entry.kind, entry.size_bytes) == (".", "file", 5)


def test_a_socket_is_refused_by_name(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "control"))
        with pytest.raises(UsageError, match="control is a socket"):
            scan_tree(tmp_path)


def test_a_pipe_is_refused_without_opening_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="pipe"):
        scan_tree(tmp_path)


def test_a_name_that_is_not_text_is_refused(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/broken-\xff", "wb"):  # noqa: PTH123
        pass
    with pytest.raises(UsageError, match="UTF-8"):
        scan_tree(tmp_path)


def test_nothing_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="missing"):
        scan_tree(tmp_path / "missing")


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "./a", "a/.", "a\0b", "x" * 256, "a/" * 3000 + "a"],
)
def test_a_path_that_leads_outside_is_refused(path: str) -> None:
    with pytest.raises(CorruptData):
        check_entry_path(path)


def test_a_clean_path_stays_below_the_root(tmp_path: Path) -> None:
    assert resolve_entry_path(tmp_path, "a/b.bin") == tmp_path / "a" / "b.bin"
    assert resolve_entry_path(tmp_path, ".") == tmp_path


def _entry(path: str = "a", digest: str = "11" * 32) -> FileEntry:
    return FileEntry(path, "file", 0o644, 5, 10, digest=digest)


def test_identity_is_about_content_alone() -> None:
    first, second = _entry("a"), _entry("b", "22" * 32)
    identity = checkpoint_identity([[first, second]])
    assert checkpoint_identity([[second, first]]) == identity
    assert checkpoint_identity([[replace(first, mode=0o600, mtime_ns=9), second]]) == identity
    different = [
        [[first]],
        [[first], [second]],
        [[first, replace(second, path="c")]],
        [[first, replace(second, digest="33" * 32)]],
        [[first, replace(second, size_bytes=11)]],
        [[first, replace(second, kind="symlink", size_bytes=0, digest=None, target="a")]],
    ]
    identities = {checkpoint_identity(parts) for parts in different}
    assert len(identities) == len(different)
    assert identity not in identities


def test_a_file_of_several_reads_has_the_digest_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(5_000_000))
    assert hash_file(tmp_path / "file") == blake3(bytes(5_000_000)).hexdigest()
