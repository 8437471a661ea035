"""What goes wrong around the daemon is a state it waits out, or an error it names; never a partial checkpoint."""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.checkpoints import describe_tree
from support.daemon_process import DaemonProcess
from support.mounts import small_disk
from support.store_checker import check_store, read_raw
from support.trainer import TrainerSimulator
from weightzip.daemon.restore.restore import restore_checkpoint
from weightzip.daemon.store import Repository, open_store

MakeDaemon = Callable[..., DaemonProcess]


@pytest.fixture
def make_daemon(tmp_path: Path) -> Iterator[MakeDaemon]:
    daemons: list[DaemonProcess] = []

    def make(**settings: str) -> DaemonProcess:
        daemon = DaemonProcess(tmp_path, tmp_path / "ckpt", str(tmp_path / "mount" / "store"), settings)
        daemons.append(daemon)
        return daemon

    (tmp_path / "mount").mkdir()
    yield make
    for daemon in daemons:
        daemon.kill()


@pytest.fixture
def trainer(tmp_path: Path) -> TrainerSimulator:
    return TrainerSimulator(tmp_path / "ckpt")


def take_away(mount: Path) -> None:
    """Make a local store unreachable: the way to it is a link that leads to itself."""
    mount.rename(mount.with_name("hidden"))
    mount.symlink_to(mount.name)


def bring_back(mount: Path) -> None:
    mount.unlink()
    mount.with_name("hidden").rename(mount)


def checked_steps(tmp_path: Path) -> list[int]:
    return sorted(check_store(read_raw(open_store(str(tmp_path / "mount" / "store")))))


def test_a_checkpoint_written_just_before_sigterm_is_stored(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon()
    daemon.start_and_wait()
    trainer.save(100)
    assert daemon.terminate() == 0
    assert checked_steps(tmp_path) == [100]


def test_the_deadline_ends_a_stop_that_cannot_finish(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon(WEIGHTZIP_SHUTDOWN__DEADLINE="2s")
    daemon.start_and_wait()
    take_away(tmp_path / "mount")
    trainer.save(100)
    daemon.wait_for(lambda: daemon.get("/v1/status")[1]["waiting"] != [])
    start = time.monotonic()
    assert daemon.terminate() == 0
    assert time.monotonic() - start < 20
    bring_back(tmp_path / "mount")
    trainer.rotate(keep=0)
    daemon.start_and_wait()
    daemon.wait_committed(100)


def test_a_second_signal_ends_at_once(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon(WEIGHTZIP_SHUTDOWN__DEADLINE="1h")
    daemon.start_and_wait()
    take_away(tmp_path / "mount")
    trainer.save(100)
    daemon.wait_for(lambda: daemon.get("/v1/status")[1]["waiting"] != [])
    daemon.process.terminate()
    daemon.wait_for(lambda: daemon.get("/v1/status")[1]["draining"])
    daemon.process.terminate()
    assert daemon.process.wait(20) == 143


def test_a_store_that_is_away_is_waited_for(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon()
    daemon.start_and_wait()
    take_away(tmp_path / "mount")
    trainer.save(100)
    daemon.wait_for(lambda: daemon.get("/v1/status")[1]["pipeline"]["state"] == "store_unreachable")
    assert b'weightzip_store_reachable{source="main"} 0.0' in daemon.get("/metrics")[1]
    assert daemon.get("/livez")[0] == 200
    assert daemon.get("/readyz")[0] == 200
    trainer.save(200)
    bring_back(tmp_path / "mount")
    assert daemon.post("/v1/flush?deadline=30s")[0] == 200
    daemon.wait_committed(100, 200)
    assert b'weightzip_store_reachable{source="main"} 1.0' in daemon.get("/metrics")[1]
    assert checked_steps(tmp_path) == [100, 200]


def test_a_store_that_is_away_at_the_start_is_waited_for(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    take_away(tmp_path / "mount")
    trainer.save(100)
    daemon = make_daemon()
    daemon.start_and_wait()
    daemon.wait_for(lambda: daemon.get("/v1/status")[1]["waiting"] != [])
    bring_back(tmp_path / "mount")
    daemon.wait_committed(100)


@pytest.mark.parametrize("during", ["run", "downtime"])
def test_a_store_that_vanished_is_waited_for_and_no_new_one_is_begun(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon, during: str
) -> None:
    store, hidden = tmp_path / "mount" / "store", tmp_path / "hidden"
    daemon = make_daemon()
    daemon.start_and_wait()
    trainer.save(100)
    daemon.wait_committed(100)
    if during == "downtime":
        assert daemon.terminate() == 0
    store.rename(hidden)  # what an unmounted directory looks like
    trainer.save(200)
    if during == "downtime":
        daemon.start_and_wait()
    daemon.wait_for(lambda: "has lost its" in (daemon.get("/v1/status")[1]["store"]["problem"] or ""))
    daemon.wait_for(lambda: daemon.get("/v1/status")[1]["pipeline"]["state"] == "store_unreachable")
    assert b'weightzip_store_reachable{source="main"} 0.0' in daemon.get("/metrics")[1]
    assert daemon.get("/livez")[0] == 200
    assert list((tmp_path / "mount").iterdir()) == []
    hidden.rename(store)
    assert daemon.post("/v1/flush?deadline=30s")[0] == 200
    assert checked_steps(tmp_path) == [100, 200]
    assert b'weightzip_store_reachable{source="main"} 1.0' in daemon.get("/metrics")[1]


def test_a_store_that_was_removed_on_purpose_is_begun_anew_when_it_is_forgotten(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon()
    trainer.save(100)
    daemon.start("--once")
    assert daemon.process.wait(30) == 0
    shutil.rmtree(tmp_path / "mount" / "store")
    (daemon.state / "known-store.json").unlink()
    daemon.start("--once")
    assert daemon.process.wait(30) == 0
    assert checked_steps(tmp_path) == [100]


def test_a_full_state_directory_takes_the_room_of_the_cache(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    with small_disk(tmp_path / "state", "600k"):
        # The limit of the cache is far above what the disk has; without giving way it would stop everything.
        daemon = make_daemon(WEIGHTZIP_STATE__SPOOL=str(tmp_path / "spool"))
        daemon.start_and_wait()
        for step in range(100, 900, 100):
            trainer.save(step)
            daemon.wait_committed(step)
        assert "cache emptied" in daemon.log.read_text()
        assert daemon.terminate() == 0
        assert checked_steps(tmp_path) == list(range(100, 900, 100))


def test_a_full_spool_is_waited_out(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    with small_disk(tmp_path / "small", "256k") as spool:
        (spool / "filler").write_bytes(bytes(200_000))
        daemon = make_daemon(WEIGHTZIP_STATE__SPOOL=str(spool / "spool"))
        daemon.start_and_wait()
        expected = describe_tree(trainer.save(100))
        daemon.wait_for(lambda: b'weightzip_disk_full{source="main"} 1.0' in daemon.get("/metrics")[1])
        assert daemon.get("/v1/checkpoints")[1]["checkpoints"] == []
        (spool / "filler").unlink()
        daemon.wait_committed(100)
        assert b'weightzip_disk_full{source="main"} 0.0' in daemon.get("/metrics")[1]
        assert daemon.terminate() == 0
        repository = Repository.open(open_store(str(tmp_path / "mount" / "store")))
        assert describe_tree(restore_checkpoint(repository, 100, tmp_path / "r").path) == expected


def test_files_rewritten_while_they_are_pinned_or_read_never_mix(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon(WEIGHTZIP_SOURCE__QUIET_PERIOD="200ms")
    daemon.start_and_wait()
    seen = [describe_files(trainer.save(100))]
    for _ in range(8):
        time.sleep(0.25)
        seen.append(describe_files(trainer.overwrite(100)))
    daemon.wait_for(lambda: daemon.get("/v1/status")[1]["up_to_date"] and bool(daemon.committed_steps()))
    assert daemon.terminate() == 0
    raw = read_raw(open_store(str(tmp_path / "mount" / "store")))
    check_store(raw)
    versions = [
        {entry["path"]: entry["digest"] for part in json.loads(data)["checkpoint"]["parts"] for entry in part["entries"] if entry["kind"] == "file"}
        for key, data in raw.items()
        if key.startswith("checkpoints/")
    ]  # fmt: skip
    assert versions
    assert all(version in seen for version in versions), "files of two saves were stored as one checkpoint"
    assert seen[-1] in versions


def test_a_second_daemon_on_the_same_state_is_refused(tmp_path: Path, make_daemon: MakeDaemon) -> None:
    first = make_daemon()
    first.start_and_wait()
    address = first.url
    second = make_daemon()
    second.start()
    assert second.process.wait(30) == 11
    assert "another daemon already uses" in second.log.read_text()
    (first.state / "listen").write_text(address)
    assert first.get("/livez")[0] == 200


def test_the_store_of_another_run_is_refused(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    trainer.save(100)
    first = make_daemon(WEIGHTZIP_STORE__RUN_ID="one")
    first.start("--once")
    assert first.process.wait(30) == 0
    second = make_daemon(WEIGHTZIP_STORE__RUN_ID="two")
    second.start()
    assert second.process.wait(30) == 11
    assert checked_steps(tmp_path) == [100]


def test_a_spool_inside_the_watched_directory_is_refused(tmp_path: Path, make_daemon: MakeDaemon) -> None:
    daemon = make_daemon(WEIGHTZIP_STATE__SPOOL=str(tmp_path / "ckpt" / ".spool"))
    daemon.start()
    assert daemon.process.wait(30) == 2
    assert "inside the watched directory" in daemon.log.read_text()


def test_nothing_is_ever_written_into_the_watched_directory(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    trainer.save(100)
    before = describe_tree(tmp_path / "ckpt")
    daemon = make_daemon()
    daemon.start("--once")
    assert daemon.process.wait(30) == 0
    assert describe_tree(tmp_path / "ckpt") == before


def test_a_damaged_predecessor_costs_a_keyframe_not_the_checkpoint(
    tmp_path: Path, trainer: TrainerSimulator, make_daemon: MakeDaemon
) -> None:
    daemon = make_daemon()
    trainer.save(100)
    daemon.start("--once")
    assert daemon.process.wait(30) == 0
    # Neither the raw files nor the archives of the predecessor can be used any more.
    shutil.rmtree(daemon.state)
    for archive in (tmp_path / "mount" / "store" / "objects").rglob("*.wzst"):
        archive.write_bytes(b"x" * archive.stat().st_size)
    trainer.save(200)
    daemon.start("--once")
    assert daemon.process.wait(60) == 0, daemon.log.read_text()
    repository = Repository.open(open_store(str(tmp_path / "mount" / "store")))
    assert repository.load(200).chain_depth == 0
    assert describe_tree(restore_checkpoint(repository, 200, tmp_path / "r").path) == describe_tree(
        trainer.path(200)
    )


def describe_files(root: Path) -> dict[str, str]:
    from weightzip.daemon.checkpoint import hash_file

    return {path.name: hash_file(path) for path in root.iterdir()}
