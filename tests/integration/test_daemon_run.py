"""The real daemon beside a trainer: what is stored, what is not, what comes back."""

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from servers.location import S3Location
from support.checkpoints import describe_tree
from support.daemon_process import DaemonProcess
from support.store_checker import check_store, read_raw
from support.trainer import TrainerSimulator
from weightzip.daemon.jobs.leftovers import EncodedFile, archive_path, write_note
from weightzip.daemon.restore.restore import restore_checkpoint
from weightzip.daemon.store import Repository, open_store
from weightzip.daemon.store.layout import object_key

MakeDaemon = Callable[..., DaemonProcess]


@pytest.fixture
def make_daemon(tmp_path: Path) -> Iterator[MakeDaemon]:
    daemons: list[DaemonProcess] = []

    def make(store: str | None = None, name: str = "", **settings: str) -> DaemonProcess:
        base = tmp_path / name if name else tmp_path
        base.mkdir(exist_ok=True)
        daemon = DaemonProcess(base, tmp_path / "ckpt", store or str(tmp_path / "store"), settings)
        daemons.append(daemon)
        return daemon

    yield make
    for daemon in daemons:
        daemon.kill()


@pytest.fixture
def trainer(tmp_path: Path) -> TrainerSimulator:
    return TrainerSimulator(tmp_path / "ckpt")


def steps_of(store: str) -> list[int]:
    return [key.step for key in Repository.open(open_store(store)).list_checkpoints()]


@pytest.mark.parametrize("mode", ["events", "poll"])
def test_a_run_with_rotation_is_stored_and_comes_back(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon, mode: str
) -> None:
    daemon = make_daemon(WEIGHTZIP_SOURCE__WATCH=mode)
    daemon.start_and_wait()
    expected = {}
    for step in (100, 200, 300):
        expected[step] = describe_tree(trainer.save(step, seconds=0.4))
        daemon.wait_committed(step)
        trainer.rotate(keep=1)
    assert daemon.terminate() == 0
    repository = Repository.open(open_store(str(tmp_path / "store")))
    for step, tree in expected.items():
        report = restore_checkpoint(repository, step, tmp_path / "restored")
        assert describe_tree(report.path) == tree
    assert [repository.load(step).chain_depth for step in expected] == [0, 1, 2]


@pytest.mark.s3
def test_the_same_against_a_real_s3_server(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon, s3_store_url: S3Location
) -> None:
    daemon = make_daemon(s3_store_url.url, **s3_store_url.environment)
    daemon.start_and_wait()
    expected = {}
    for step in (100, 200):
        expected[step] = describe_tree(trainer.save(step))
        daemon.wait_committed(step)
    status = daemon.get("/v1/status")[1]
    assert status["store"]["fenced"] is True
    assert daemon.terminate() == 0
    store = open_store(s3_store_url.url, s3_store_url.storage_options)
    assert sorted(check_store(read_raw(store))) == [100, 200]
    for step, tree in expected.items():
        assert describe_tree(restore_checkpoint(Repository.open(store), step, tmp_path / "r").path) == tree


def test_a_save_that_died_midway_is_never_listed(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon()
    daemon.start_and_wait()
    trainer.save_partially(100)
    trainer.save(200)
    daemon.wait_committed(200)
    candidates = {c["name"]: c for c in daemon.get("/v1/status")[1]["candidates"]}
    assert "its header says" in candidates["checkpoint-100"]["reason"]
    assert daemon.terminate() == 0
    assert steps_of(str(tmp_path / "store")) == [200]


def test_a_save_into_the_same_files_becomes_a_new_checkpoint(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon()
    trainer.save(100)
    daemon.start_and_wait()
    daemon.wait_committed(100)
    second = describe_tree(trainer.overwrite(100))
    daemon.wait_for(lambda: daemon.committed_steps() == [100, 100])
    assert daemon.terminate() == 0
    report = restore_checkpoint(Repository.open(open_store(str(tmp_path / "store"))), 100, tmp_path / "r")
    assert describe_tree(report.path) == second


def test_new_times_make_no_new_checkpoint_and_no_endless_work(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon()
    trainer.save(100)
    daemon.start_and_wait()
    daemon.wait_committed(100)
    for path in trainer.path(100).iterdir():
        path.touch()
    daemon.wait_for(lambda: daemon.log.read_text().count('"event": "committed"') == 2)
    daemon.wait_for(lambda: daemon.get("/v1/status")[1]["up_to_date"])
    (candidate,) = daemon.get("/v1/status")[1]["candidates"]
    assert (candidate["stage"], candidate["reason"]) == ("PINNED", "committed")
    assert daemon.committed_steps() == [100]
    assert daemon.terminate() == 0
    assert daemon.log.read_text().count('"event": "encoding"') == 2


def test_a_run_that_is_set_back_keeps_what_it_saved_last(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon(
        WEIGHTZIP_RETENTION__KEEP_LAST="2",
        WEIGHTZIP_RETENTION__ENFORCE="true",
        WEIGHTZIP_RESTORE__ON_START="if_missing_newest",
    )
    daemon.start_and_wait()
    expected = {}
    for position, step in enumerate((500, 800, 900, 600, 700)):
        expected[step] = describe_tree(save_at(trainer, step, 1_700_000_000 + position))
        daemon.wait_for(partial(is_newest, tmp_path, step))
        daemon.wait_for(partial(says_newest, daemon, {"committed": step, "complete": step}))
    daemon.wait_for(lambda: daemon.committed_steps() == [600, 700])
    assert daemon.terminate() == 0
    shutil.rmtree(trainer.path(700))
    daemon.start_and_wait()
    assert describe_tree(trainer.path(700)) == expected[700]
    assert daemon.post("/v1/flush")[0] == 200
    assert steps_of(str(tmp_path / "store")) == [600, 700], "the stale ones on disk are not stored again"


@pytest.mark.parametrize("enforce", ["true", "false"])
def test_what_interrupted_work_left_in_the_store_is_collected_after_a_day(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon, enforce: str
) -> None:
    daemon = make_daemon(WEIGHTZIP_RETENTION__KEEP_LAST="2", WEIGHTZIP_RETENTION__ENFORCE=enforce)
    store = open_store(str(tmp_path / "store"))
    digests = {name: letter * 64 for name, letter in (("old", "a"), ("young", "b"), ("noted", "c"))}
    for name, digest in digests.items():
        store.put_bytes(object_key(digest), b"left behind")
        if name != "young":
            os.utime(tmp_path / "store" / object_key(digest), (0, 0))
    daemon.start_and_wait()
    waiting = daemon.state / "work" / "another"
    waiting.mkdir()
    write_note(archive_path(waiting, "x"), EncodedFile("d" * 64, 1, digests["noted"], 1, None, (), ()))
    trainer.save(100)
    daemon.wait_for(lambda: daemon.get("/v1/status")[1]["up_to_date"] and daemon.committed_steps() == [100])
    assert daemon.terminate() == 0
    left = {name for name, digest in digests.items() if (tmp_path / "store" / object_key(digest)).exists()}
    assert left == ({"young", "noted"} if enforce == "true" else set(digests))


def test_once_stores_what_is_there_and_ends(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    for step in (100, 200):
        trainer.save(step)
    daemon = make_daemon()
    daemon.start("--once")
    assert daemon.process.wait(30) == 0, daemon.log.read_text()
    assert steps_of(str(tmp_path / "store")) == [100, 200]


def test_once_needs_no_port_and_says_what_it_waits_for(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    trainer.save(100)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        daemon = make_daemon(WEIGHTZIP_SERVER__LISTEN=address, WEIGHTZIP_SOURCE__QUIET_PERIOD="3s")
        daemon.start("--once")
        assert daemon.process.wait(30) == 0, daemon.log.read_text()
    assert steps_of(str(tmp_path / "store")) == [100]
    log = daemon.log.read_text()
    assert f"{address}: " in log
    assert "checkpoint-100: still changing, or changed a moment ago" in log


def test_a_second_start_sends_nothing_again(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    trainer.save(100)
    for _ in range(2):
        daemon = make_daemon()
        daemon.start("--once")
        assert daemon.process.wait(30) == 0, daemon.log.read_text()
    assert daemon.log.read_text().count('"event": "committed"') == 1


@pytest.mark.parametrize("setting", ["if_empty", "if_missing_newest"])
def test_an_empty_directory_is_restored_before_started_is_said(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon, setting: str
) -> None:
    expected = {step: describe_tree(trainer.save(step)) for step in (100, 200)}
    daemon = make_daemon(WEIGHTZIP_RESTORE__ON_START=setting)
    daemon.start("--once")
    assert daemon.process.wait(30) == 0, daemon.log.read_text()
    trainer.rotate(keep=0 if setting == "if_empty" else 1)
    for path in (trainer.path(200),):
        if path.exists():
            path.rename(tmp_path / "away")
    daemon.start_and_wait()
    assert describe_tree(trainer.path(200)) == expected[200]
    # What was restored is known to be stored: nothing is encoded again.
    status, answer = daemon.post("/v1/flush")
    assert (status, answer["flushed"]) == (200, True)
    assert daemon.committed_steps() == [100, 200]


def test_a_restore_uses_what_was_prefetched(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    trainer.save(100)
    daemon = make_daemon(WEIGHTZIP_RESTORE__TARGET=str(tmp_path / "target"))
    daemon.start("--once")
    assert daemon.process.wait(30) == 0, daemon.log.read_text()
    shutil.rmtree(daemon.state / "cache")  # as on another node
    daemon.start_and_wait()
    daemon.wait_for(lambda: '"prefetched"' in daemon.log.read_text())
    status, job = daemon.post("/v1/restore", {"selector": "latest"})
    assert status == 202
    daemon.wait_for(lambda: daemon.get(f"/v1/restore/{job['id']}")[1]["state"] == "READY")
    result = daemon.get(f"/v1/restore/{job['id']}")[1]["result"]
    assert (result["step"], result["fetched_bytes"]) == (100, 0)
    assert describe_tree(Path(result["path"])) == describe_tree(trainer.path(100))


def test_what_was_just_published_needs_no_download(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon()
    daemon.start_and_wait()
    expected = {step: describe_tree(trainer.save(step)) for step in (100, 200)}
    daemon.wait_committed(100, 200)
    shutil.rmtree(tmp_path / "store" / "objects")  # whatever is read now comes from the cache
    for step, tree in expected.items():
        shutil.rmtree(trainer.path(step))
        status, job = daemon.post("/v1/restore", {"selector": step})
        assert status == 202
        daemon.wait_for(lambda job=job: daemon.get(f"/v1/restore/{job['id']}")[1]["state"] == "READY")  # type: ignore[misc]
        assert daemon.get(f"/v1/restore/{job['id']}")[1]["result"]["fetched_bytes"] == 0
        assert describe_tree(trainer.path(step)) == tree
        answered = daemon.get(f"/v1/checkpoints/{step}/files/optimizer.safetensors")
        assert answered == (200, tree["optimizer.safetensors"][-1])


def test_retention_is_enforced_when_asked_for(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon(
        WEIGHTZIP_RETENTION__KEEP_LAST="2",
        WEIGHTZIP_RETENTION__KEEP_EVERY="200",
        WEIGHTZIP_RETENTION__ENFORCE="true",
        WEIGHTZIP_ENCODE__PREDECESSOR="none",
    )
    daemon.start_and_wait()
    for step in (100, 200, 300, 400):
        trainer.save(step)
        daemon.wait_for(partial(is_newest, tmp_path, step))
    daemon.wait_for(lambda: daemon.committed_steps() == [200, 300, 400])
    assert daemon.terminate() == 0
    assert sorted(check_store(read_raw(open_store(str(tmp_path / "store"))))) == [200, 300, 400]


def test_retention_is_only_planned_by_default(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon(WEIGHTZIP_RETENTION__KEEP_LAST="2")
    daemon.start_and_wait()
    for step in (100, 200, 300):
        trainer.save(step)
        daemon.wait_committed(step)
    daemon.wait_for(lambda: daemon.get("/v1/status")[1]["retention"]["prunable_steps"] == [100])
    assert steps_of(str(tmp_path / "store")) == [100, 200, 300]


def save_at(trainer: TrainerSimulator, step: int, seconds: int) -> Path:
    """Save a step that nobody sees before its files have the time `seconds`."""
    path = TrainerSimulator(trainer.root.with_name("elsewhere"), seed=step).save(step)
    for file in path.iterdir():
        os.utime(file, (seconds, seconds))
    return path.rename(trainer.path(step))


def is_newest(tmp_path: Path, step: int) -> bool:
    """Say whether `step` is the newest in the store."""
    return steps_of(str(tmp_path / "store"))[-1:] == [step]


def says_newest(daemon: DaemonProcess, steps: dict[str, int]) -> bool:
    """Say whether the daemon names these newest steps; it knows a moment after the store does."""
    return bool(daemon.get("/v1/status")[1]["newest_step"] == steps)
