"""The looking thread: hints wake it, an overflow is a hint, errors are waited out, polling needs no events."""

import contextlib
import errno
import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest

from weightzip.daemon.metrics import Metrics
from weightzip.daemon.watch.events import EventHints
from weightzip.daemon.watch.loop import WatchLoop

Mode = Literal["events", "poll"]
MakeLoop = Callable[..., tuple[WatchLoop, Metrics]]


@pytest.fixture
def make_loop() -> Iterator[MakeLoop]:
    loops: list[WatchLoop] = []

    def make(
        root: Path, look: Callable[[float], float | None], mode: Mode, rescan: float = 60.0
    ) -> tuple[WatchLoop, Metrics]:
        metrics = Metrics("test")
        loop = WatchLoop(root, look, metrics, mode=mode, poll_seconds=0.1, rescan_seconds=rescan)
        loops.append(loop)
        loop.start()
        return loop, metrics

    yield make
    for loop in loops:
        assert loop.stop(10.0)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10.0
    while not condition():
        assert time.monotonic() < deadline, "not reached within 10 s"
        time.sleep(0.02)


def test_an_event_asks_for_a_look(tmp_path: Path, make_loop: MakeLoop) -> None:
    seen: list[set[str]] = []
    loop, metrics = make_loop(
        tmp_path, lambda now: seen.append({p.name for p in tmp_path.iterdir()}), "events"
    )
    assert loop.look_now(10.0)
    (tmp_path / "new").touch()
    wait_until(lambda: seen[-1] == {"new"})
    wait_until(
        lambda: bool(metrics.registry.get_sample_value("weightzip_watch_events_total", {"source": "test"}))
    )


def test_polling_finds_files_without_events(tmp_path: Path, make_loop: MakeLoop) -> None:
    seen: list[set[str]] = []
    _, metrics = make_loop(tmp_path, lambda now: seen.append({p.name for p in tmp_path.iterdir()}), "poll")
    (tmp_path / "new").touch()
    wait_until(lambda: bool(seen) and seen[-1] == {"new"})
    assert metrics.registry.get_sample_value("weightzip_watch_events_total", {"source": "test"}) == 0


def test_a_candidate_is_looked_at_when_it_may_be_quiet(tmp_path: Path, make_loop: MakeLoop) -> None:
    looks: list[float] = []

    def look(now: float) -> float | None:
        looks.append(now)
        return now + 0.3 if len(looks) == 1 else None

    make_loop(tmp_path, look, "events")
    wait_until(lambda: len(looks) == 2)
    assert looks[1] >= looks[0] + 0.3


def test_a_dropped_event_queue_is_counted_and_asks_for_a_look(tmp_path: Path, make_loop: MakeLoop) -> None:
    looked = threading.Event()
    loop, metrics = make_loop(tmp_path, lambda now: looked.set(), "events")
    assert loop.look_now(10.0)
    looked.clear()
    logging.getLogger("watchdog.observers.inotify_c").warning(
        "Inotify queue overflowed; filesystem events were lost"
    )
    assert looked.wait(10.0)
    assert metrics.registry.get_sample_value("weightzip_watch_overflows_total", {"source": "test"}) == 1


def test_the_library_still_logs_an_overflow_where_we_listen() -> None:
    from inspect import getsource

    from watchdog.observers import inotify_c

    assert inotify_c.logger.name == "watchdog.observers.inotify_c"
    assert "queue overflowed" in getsource(inotify_c)


def test_a_directory_that_comes_later_is_watched_then(tmp_path: Path, make_loop: MakeLoop) -> None:
    root = tmp_path / "later"
    seen: list[bool] = []
    _, metrics = make_loop(root, lambda now: seen.append(root.exists()), "events")
    wait_until(lambda: bool(seen))
    root.mkdir()
    wait_until(lambda: seen[-1])

    def events() -> bool:
        (root / "x").write_text("1")
        return bool(metrics.registry.get_sample_value("weightzip_watch_events_total", {"source": "test"}))

    wait_until(events)


def test_a_directory_that_is_replaced_is_watched_again(tmp_path: Path, make_loop: MakeLoop) -> None:
    root = tmp_path / "ckpt"
    root.mkdir()
    seen: list[set[str]] = []
    loop, _ = make_loop(root, lambda now: seen.append({p.name for p in root.iterdir()}), "events")
    assert loop.look_now(10.0)
    root.rename(tmp_path / "old")
    root.mkdir()
    assert loop.look_now(10.0)
    (root / "new").touch()
    wait_until(lambda: seen[-1] == {"new"})


def test_an_unreadable_directory_does_not_end_the_loop(tmp_path: Path, make_loop: MakeLoop) -> None:
    looks: list[int] = []

    def look(now: float) -> float | None:
        looks.append(1)
        raise OSError(5, "Input/output error")

    make_loop(tmp_path, look, "poll")
    wait_until(lambda: len(looks) >= 3)


def test_known_work_ends_the_pause_between_two_looks(
    tmp_path: Path, make_loop: MakeLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weightzip.daemon.watch.loop._PAUSE_PER_LOOK", 1e12)
    monkeypatch.setattr("weightzip.daemon.watch.loop._LONGEST_PAUSE_SECONDS", 1e6)
    looks: list[float] = []
    loop, _ = make_loop(tmp_path, looks.append, "poll")
    wait_until(lambda: len(looks) == 1)
    loop.hurry()
    wait_until(lambda: len(looks) == 2)


def count_instances() -> int:
    """Count the inotify instances of this process; the kernel gives a user 128 by default."""
    links = []
    for path in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            links.append(str(path.readlink()))
    return sum("inotify" in link for link in links)


@pytest.mark.parametrize("kind", ["missing", "over the limit"])
def test_failing_to_watch_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    if kind == "over the limit":

        def refuse(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, "inotify watch limit reached")

        monkeypatch.setattr("watchdog.observers.api.BaseObserver.schedule", refuse)
    root = tmp_path / "gone" if kind == "missing" else tmp_path
    instances, threads = count_instances(), threading.active_count()
    for _ in range(5):
        with pytest.raises(OSError, match=r"limit|No such file"):
            EventHints(root, lambda: None, lambda: None).start()
    assert (count_instances(), threading.active_count()) == (instances, threads)


def test_without_a_free_instance_the_loop_polls(
    tmp_path: Path, make_loop: MakeLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    monkeypatch.setattr("weightzip.daemon.watch.events.Observer", refuse)
    seen: list[set[str]] = []
    loop, _ = make_loop(tmp_path, lambda now: seen.append({p.name for p in tmp_path.iterdir()}), "events")
    (tmp_path / "new").touch()
    wait_until(lambda: bool(seen) and seen[-1] == {"new"})
    assert loop.is_alive()
