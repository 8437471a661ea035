"""Temporary files: whose they are, who removes them, and that nobody takes a live one away."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from weightzip.errors import DirectoryInUse, NotFound
from weightzip.files.publish import publish_file
from weightzip.files.temporary import is_temporary, open_temporary, spool_file, sweep_temporaries

_KILLED = """
import os, pathlib, signal, sys
from weightzip.files.publish import publish_file
with publish_file(pathlib.Path(sys.argv[1]), like=None, force=False) as file:
    file.write(b"half"); file.flush()
    os.fchmod(file.fileno(), 0o444)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def leave_half_written(target: Path) -> Path:
    """Let a process be killed while it writes target; return what it left."""
    done = subprocess.run([sys.executable, "-c", _KILLED, str(target)], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    (left,) = (path for path in target.parent.iterdir() if is_temporary(path.name))
    return left


def test_the_next_try_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    leave_half_written(tmp_path / "out")
    with publish_file(tmp_path / "out", like=None, force=False) as file:
        file.write(b"whole")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"out": b"whole"}


def test_only_what_is_left_is_swept(tmp_path: Path) -> None:
    left = leave_half_written(tmp_path / "gone")
    (tmp_path / ".weightzip-notes.tmp").write_text("somebody's own")
    (tmp_path / ".weightzip-0123456789abcdef.tmp").symlink_to("elsewhere")
    with open_temporary(tmp_path / "alive", 0o600) as (alive, _):
        sweep_temporaries(tmp_path)
        assert not left.exists()
        assert alive.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".weightzip-0123456789abcdef.tmp",
        ".weightzip-notes.tmp",
    ]


def test_two_do_not_write_the_same_target(tmp_path: Path) -> None:
    with open_temporary(tmp_path / "out", 0o600) as (path, _):
        with (
            pytest.raises(DirectoryInUse, match=r"out: another process writes it"),
            open_temporary(tmp_path / "out", 0o600),
        ):
            pass
        assert path.exists()
        with open_temporary(tmp_path / "other", 0o600):
            pass


def test_a_file_that_got_its_name_is_not_looked_for_again(tmp_path: Path) -> None:
    """The next writer of the same target may have begun: its file has the temporary name by then."""
    with open_temporary(tmp_path / "out", 0o600) as (path, _):
        path.rename(tmp_path / "out")
        path.write_bytes(b"of another process")
    assert path.read_bytes() == b"of another process"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(NotFound, match="nowhere: no such directory"),
        open_temporary(tmp_path / "nowhere" / "out", 0o600),
    ):
        pass


def test_a_spool_has_no_name_and_can_be_read(tmp_path: Path) -> None:
    with spool_file(tmp_path) as (path, file):
        file.write(b"bytes")
        file.flush()
        assert list(tmp_path.iterdir()) == []
        assert path.read_bytes() == b"bytes"
