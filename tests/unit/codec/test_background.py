"""Running ahead: order, errors, bounds, and no thread left behind."""

import threading
from collections.abc import Iterator

import pytest

from weightzip.codec.background import run_ahead


def _count_threads() -> int:
    return sum(thread.name == "weightzip-ahead" for thread in threading.enumerate())


def test_items_come_in_order() -> None:
    assert list(run_ahead(range(100), depth=3)) == list(range(100))


def test_an_error_comes_after_the_items_before_it() -> None:
    def produce() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    items = run_ahead(produce())
    assert next(items) == 1
    with pytest.raises(ValueError, match="broken"):
        next(items)


def test_it_runs_no_further_ahead_than_told() -> None:
    produced: list[int] = []
    reached = threading.Event()

    def produce() -> Iterator[int]:
        for number in range(50):
            produced.append(number)
            if number == 2:
                reached.set()
            yield number

    items = run_ahead(produce(), depth=2)
    assert next(items) == 0
    assert reached.wait(10)  # two ahead of the one in hand
    assert next(items) == 1
    items.close()
    assert produced in ([0, 1, 2], [0, 1, 2, 3])


def test_closing_stops_the_producer_and_closes_it() -> None:
    closed = threading.Event()

    def produce() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.set()

    items = run_ahead(run_ahead(produce()))
    next(items)
    items.close()
    assert closed.is_set()
    assert _count_threads() == 0
