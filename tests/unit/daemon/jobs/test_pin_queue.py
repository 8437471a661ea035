"""Bounded, newest first."""

import threading
from pathlib import Path

from weightzip.daemon.jobs.pin_queue import PinQueue
from weightzip.daemon.jobs.pinned import PinnedCheckpoint, PinRecord


def make_pin(step: int, saved_at: int = 0) -> PinnedCheckpoint:
    content = (("model", 1, saved_at * 10**9),)
    record = PinRecord(
        id=f"{step}", name=f"checkpoint-{step}", step=step, complete_at=0.0, how="link", content=content
    )
    return PinnedCheckpoint(record, Path())


def test_the_newest_step_is_taken_first() -> None:
    queue = PinQueue(4)
    for step in (100, 9900, 10_000, 300):
        assert queue.put(make_pin(step)) is None
    assert [pin.step for pin in (queue.take(), queue.take(), queue.take(), queue.take()) if pin] == [
        10_000,
        9900,
        300,
        100,
    ]


def test_after_a_set_back_the_last_save_is_taken_first() -> None:
    queue = PinQueue(2)
    queue.put(make_pin(900, saved_at=1))
    queue.put(make_pin(600, saved_at=2))
    assert queue.has_room((2, 700))
    assert not queue.has_room((0, 1000))
    crowded_out = queue.put(make_pin(700, saved_at=3))
    assert crowded_out is not None
    assert crowded_out.step == 900
    assert [pin.step for pin in (queue.take(), queue.take()) if pin] == [700, 600]


def test_the_oldest_gives_way() -> None:
    queue = PinQueue(2)
    queue.put(make_pin(100))
    queue.put(make_pin(200))
    assert not queue.has_room((0, 50))
    assert queue.has_room((0, 300))
    crowded_out = queue.put(make_pin(300))
    assert crowded_out is not None
    assert crowded_out.step == 100
    assert [pin.step for pin in queue.list_pins()] == [200, 300]


def test_closing_wakes_who_waits() -> None:
    queue = PinQueue(2)
    taken: list[object] = []
    thread = threading.Thread(target=lambda: taken.append(queue.take()))
    thread.start()
    queue.close()
    thread.join(10)
    assert taken == [None]
