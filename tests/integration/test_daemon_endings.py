"""How the daemon ends when it did not do what it is there for: never with a success."""

import os
import signal
import socket
from pathlib import Path

import pytest

from support.settings import make_settings
from support.trainer import TrainerSimulator
from weightzip.daemon import service
from weightzip.daemon.jobs.pipeline import Pipeline
from weightzip.daemon.restore.target import open_workroom
from weightzip.daemon.service import run_daemon
from weightzip.daemon.watch.loop import WatchLoop
from weightzip.errors import DirectoryInUse, StoreUnavailable, StoreVanished, UsageError


def _break(*_: object) -> None:
    raise RuntimeError("not foreseen")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize(
    ("thread", "target"),
    [
        ("watch", "weightzip.daemon.watch.loop.WatchLoop._ensure_hints"),
        ("pipeline", "weightzip.daemon.jobs.pipeline.Pipeline._await_store"),
    ],
)
def test_a_worker_that_dies_ends_the_daemon_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, thread: str, target: str, once: bool
) -> None:
    TrainerSimulator(tmp_path / "ckpt", n_elements=1000).save(1)
    monkeypatch.setattr(target, _break)
    ending = run_daemon(make_settings(tmp_path), once=once)
    assert ending.error is not None
    assert ending.error.exit_code != 0
    assert once or thread in str(ending.error)


def test_once_that_is_stopped_before_all_is_stored_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    TrainerSimulator(tmp_path / "ckpt", n_elements=1000).save(1)
    looks, signalled = WatchLoop.look_now, list[bool]()

    def look_now(self: WatchLoop, timeout_seconds: float) -> bool:
        answer = looks(self, timeout_seconds)
        if not signalled:
            signalled.append(True)
            os.kill(os.getpid(), signal.SIGTERM)
        return answer

    monkeypatch.setattr(WatchLoop, "look_now", look_now)
    settings = make_settings(tmp_path, source={"quiet_period": "1h"}, shutdown={"deadline": "1s"})
    ending = run_daemon(settings, once=True)
    assert "ended before everything complete was stored" in str(ending.error)


@pytest.fixture
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_ONCE_PATIENCE_SECONDS", 0.0)


@pytest.mark.usefixtures("impatience")
@pytest.mark.parametrize("on_start", ["never", "if_empty"])
def test_once_does_not_wait_for_ever_for_a_store_that_cannot_be_reached(
    tmp_path: Path, on_start: str
) -> None:
    TrainerSimulator(tmp_path / "ckpt", n_elements=1000).save(1)
    (tmp_path / "store").symlink_to("store")  # a loop of links
    ending = run_daemon(make_settings(tmp_path, restore={"on_start": on_start}), once=True)
    assert isinstance(ending.error, StoreUnavailable)
    assert ending.error.exit_code == 9
    assert ending.idle


@pytest.mark.usefixtures("impatience")
@pytest.mark.parametrize("once_open", [False, True])
def test_once_does_not_wait_for_ever_for_a_store_that_has_vanished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, once_open: bool
) -> None:
    trainer, settings = TrainerSimulator(tmp_path / "ckpt", n_elements=1000), make_settings(tmp_path)
    trainer.save(1)
    assert run_daemon(settings, once=True).error is None
    trainer.save(2)
    start = Pipeline.start

    def take_store_away() -> None:
        (tmp_path / "store").rename(tmp_path / "elsewhere")

    def start_without_store(self: Pipeline) -> None:
        self._gateway.wait()
        take_store_away()
        start(self)

    if once_open:
        monkeypatch.setattr(Pipeline, "start", start_without_store)
    else:
        take_store_away()
    ending = run_daemon(settings, once=True)
    assert isinstance(ending.error, StoreVanished)
    assert ending.error.exit_code == 9
    assert not (tmp_path / "store").exists()


def test_a_port_in_use_is_refused_with_the_way_to_another(tmp_path: Path) -> None:
    (tmp_path / "ckpt").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UsageError, match=r"WEIGHTZIP_SERVER__LISTEN=127\.0\.0\.1:0 picks a free port"):
            run_daemon(make_settings(tmp_path, server={"listen": listen}))


def test_two_restores_into_one_target_are_not_told_of_store_prefixes(tmp_path: Path) -> None:
    with (
        open_workroom(tmp_path / "target", "checkpoint-1"),
        pytest.raises(DirectoryInUse) as refusal,
        open_workroom(tmp_path / "target", "checkpoint-1"),
    ):
        pass
    assert "prefix" not in refusal.value.hint
    assert refusal.value.exit_code == 11
