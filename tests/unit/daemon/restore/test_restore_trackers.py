"""Trackers appear after the checkpoint that they name, and never point away from a newer one."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from support.faulty_store import CrashError
from support.repositories import RUN_ID, Publisher
from weightzip.daemon.checkpoint import Tracker
from weightzip.daemon.jobs.encode import encode_checkpoint
from weightzip.daemon.restore import restore, restore_checkpoint
from weightzip.daemon.store import Repository
from weightzip.daemon.store.memory import MemoryStore

ITERATION = "latest_checkpointed_iteration.txt"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Two checkpoints, each with a file and a link that name it, saved one after the other."""
    publisher = Publisher(MemoryStore(), tmp_path)
    repository = Repository.open(publisher.store, run_id=RUN_ID, create=True)
    for position, step in enumerate((100, 200)):
        publisher.save_at(step, 1_700_000_000 + position)
        source = publisher.source(step)
        encoded = encode_checkpoint(source.name, step, source, workdir=tmp_path / f"work-{step}", n_threads=1)
        trackers = (
            Tracker(ITERATION, "file", f"{step}\n", 0o640, 1_600_000_000_000_000_005),
            Tracker("last", "symlink", source.name, 0, 1_600_000_000_000_000_007),
        )
        repository.publish(replace(encoded, trackers=trackers))
    return repository


def read(target: Path) -> tuple[str, str]:
    return (target / ITERATION).read_text(), str((target / "last").readlink())


def test_they_come_back_as_they_were(repository: Repository, tmp_path: Path) -> None:
    target = tmp_path / "target"
    restore_checkpoint(repository, "latest", target)
    assert read(target) == ("200\n", "checkpoint-200")
    status = (target / ITERATION).stat()
    assert (status.st_mode & 0o7777, status.st_mtime_ns) == (0o640, 1_600_000_000_000_000_005)
    assert (target / "last").lstat().st_mtime_ns == 1_600_000_000_000_000_007
    assert sorted(path.name for path in target.iterdir()) == ["checkpoint-200", "last", ITERATION]


def test_an_older_checkpoint_does_not_take_them_from_a_newer_one(
    repository: Repository, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    restore_checkpoint(repository, 200, target)
    restore_checkpoint(repository, 100, target)
    assert read(target) == ("200\n", "checkpoint-200")


def test_a_newer_checkpoint_takes_them_over(repository: Repository, tmp_path: Path) -> None:
    target = tmp_path / "target"
    restore_checkpoint(repository, 100, target)
    assert read(target) == ("100\n", "checkpoint-100")
    restore_checkpoint(repository, 200, target)
    assert read(target) == ("200\n", "checkpoint-200")


def test_what_names_a_checkpoint_that_is_gone_is_replaced(repository: Repository, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / ITERATION).write_text("900")
    (target / "last").symlink_to("checkpoint-900")
    restore_checkpoint(repository, 100, target)
    assert read(target) == ("100\n", "checkpoint-100")


@pytest.mark.parametrize(
    "text", ["x" * 300, "9" * 4000, "\u00b2", "\u0663", "..", "a/..", "a\0b", "\udcff", "", "/"]
)
def test_what_names_nothing_that_could_be_a_checkpoint_is_replaced(
    text: str, repository: Repository, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / ITERATION).write_bytes(text.encode(errors="surrogateescape"))
    if text and "\0" not in text and len(text) < 4000:
        (target / "last").symlink_to(text)
    (tmp_path / "newer").write_bytes(b"what lies beside the target is no checkpoint in it")
    restore_checkpoint(repository, 200, target)
    assert read(target) == ("200\n", "checkpoint-200")


def test_what_is_no_tracker_is_left_alone(repository: Repository, tmp_path: Path) -> None:
    target = tmp_path / "target"
    (target / ITERATION).mkdir(parents=True)
    (target / "last").write_text("a file of mine")
    restore_checkpoint(repository, 100, target)
    assert (target / ITERATION).is_dir()
    assert (target / "last").read_text() == "a file of mine"


def test_a_restore_that_died_before_them_is_made_good(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target"

    def die(*_: object) -> None:
        assert (target / "checkpoint-200").is_dir()
        raise CrashError

    with monkeypatch.context() as patch, pytest.raises(CrashError):
        patch.setattr(restore, "write_tracker", die)
        restore_checkpoint(repository, 200, target)
    assert not os.path.lexists(target / "last")
    restore_checkpoint(repository, 200, target)
    assert read(target) == ("200\n", "checkpoint-200")
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []
