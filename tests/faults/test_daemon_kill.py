"""kill -9 at random moments of a run: nothing partial is listed, the next start goes on, all restores are identical."""

import random
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from support.checkpoints import describe_tree
from support.daemon_process import DaemonProcess
from support.store_checker import check_store, read_raw
from support.trainer import TrainerSimulator
from weightzip.daemon.restore.restore import restore_checkpoint
from weightzip.daemon.store import Repository, open_store

N_KILLS = 20
STEPS = (100, 200, 300, 400, 500)
# Large enough that encoding, verifying and publishing take a while on one thread.
N_ELEMENTS = 3_000_000


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[DaemonProcess]:
    process = DaemonProcess(tmp_path, tmp_path / "ckpt", str(tmp_path / "store"))
    yield process
    process.kill()


def wait_for_work(daemon: DaemonProcess, store: Path, n_done: int) -> None:
    """Wait until the daemon runs and has a pin that is not committed, or has more than `n_done` checkpoints listed."""

    def is_there() -> bool:
        records: list[str] = []
        if not (daemon.state / "listen").exists():
            return False
        with suppress(FileNotFoundError):  # a pin may be released while we read
            records = [path.read_text() for path in (daemon.state / "spool").glob("0*/pin.json")]
        n_listed = len(list((store / "checkpoints").glob("*.json")))
        return n_listed > n_done or any('"committed":null' in record for record in records)

    daemon.wait_for(is_there)


@pytest.mark.slow
def test_twenty_kills_leave_nothing_partial_and_nothing_undone(tmp_path: Path, daemon: DaemonProcess) -> None:
    dice = random.Random(20)
    trainer = TrainerSimulator(tmp_path / "ckpt", n_elements=N_ELEMENTS)
    store = open_store(str(tmp_path / "store"))
    listed: set[int] = set()
    for number in range(N_KILLS):
        if number % (N_KILLS // len(STEPS)) == 0:
            trainer.save(STEPS[number * len(STEPS) // N_KILLS])
        daemon.start()
        if number % 4 < 3:
            # Most moments fall into the work on a checkpoint, the others anywhere from the start of the process on.
            wait_for_work(daemon, tmp_path / "store", number // 4)
        time.sleep(dice.uniform(0.0, 0.3 if number % 4 < 3 else 1.5))
        daemon.kill()
        now_listed = set(check_store(read_raw(store)))
        assert listed <= now_listed, "a listed checkpoint disappeared"
        listed = now_listed
    n_interrupted = daemon.log.read_text().count('"adopted"')
    assert n_interrupted >= 3, f"only {n_interrupted} kills met unfinished work: choose other moments"
    daemon.start_and_wait()
    daemon.wait_committed(*STEPS)
    assert daemon.terminate() == 0
    checked = check_store(read_raw(store))
    assert sorted(checked) == list(STEPS)
    repository = Repository.open(store)
    for step in STEPS:
        report = restore_checkpoint(repository, step, tmp_path / "restored")
        assert describe_tree(report.path) == describe_tree(trainer.path(step))
    assert not list((daemon.state / "work").iterdir()), "half-made archives were left behind"
    assert len(list((daemon.state / "spool").iterdir())) == 1, "only the raw predecessor stays pinned"


@pytest.mark.slow
def test_a_kill_does_not_send_archives_again(tmp_path: Path, daemon: DaemonProcess) -> None:
    trainer = TrainerSimulator(tmp_path / "ckpt", n_elements=N_ELEMENTS)
    trainer.save(100)
    daemon.start()
    objects = tmp_path / "store" / "objects"
    daemon.wait_for(lambda: any(objects.rglob("*.wzst")))
    daemon.kill()
    before = {path: path.stat().st_ino for path in objects.rglob("*.wzst")}
    daemon.start_and_wait()
    daemon.wait_committed(100)
    for path, inode in before.items():
        assert path.stat().st_ino == inode, "an object that had arrived was written again"


def test_a_checkpoint_deleted_by_the_trainer_is_adopted_from_the_spool(
    tmp_path: Path, daemon: DaemonProcess
) -> None:
    trainer = TrainerSimulator(tmp_path / "ckpt", n_elements=N_ELEMENTS)
    expected = describe_tree(trainer.save(100))
    daemon.start()
    spool = daemon.state / "spool"
    daemon.wait_for(lambda: any(spool.glob("0*/pin.json")))
    daemon.kill()
    trainer.save(200)
    trainer.rotate(keep=1)
    daemon.start_and_wait()
    daemon.wait_committed(100, 200)
    report = restore_checkpoint(
        Repository.open(open_store(str(tmp_path / "store"))), 100, tmp_path / "restored"
    )
    assert describe_tree(report.path) == expected
