"""Running ahead: order, errors, bounds, and no thread left behind."""

import threading
from collections.abc import Iterator

import pytest

from weightzip.codec.background import MAX_WAITING, map_in_order, run_ahead


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


@pytest.mark.parametrize("n_at_once", [1, 2, 5])
def test_results_come_in_the_order_of_their_items(n_at_once: int) -> None:
    assert list(map_in_order(lambda number: number * number, range(50), n_at_once)) == [
        number * number for number in range(50)
    ]


def test_items_are_worked_on_at_the_same_time() -> None:
    together = threading.Barrier(3, timeout=10)

    def meet(number: int) -> int:
        together.wait()
        return number

    assert list(map_in_order(meet, range(9), 3)) == list(range(9))


@pytest.mark.parametrize("n_at_once", [1, 3])
def test_an_error_of_the_work_comes_in_its_place(n_at_once: int) -> None:
    def work(number: int) -> int:
        if number >= 2:
            raise ValueError(f"item {number}")
        return number

    results = map_in_order(work, range(10), n_at_once)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="item 2"):
        next(results)


@pytest.mark.parametrize("n_at_once", [1, 3])
def test_work_runs_no_further_ahead_than_told(n_at_once: int) -> None:
    begun: list[int] = []
    results = map_in_order(begun.append, range(50), n_at_once)
    next(results)
    results.close()
    assert len(begun) <= n_at_once + MAX_WAITING
    assert not any(thread.name.startswith("weightzip-frame") for thread in threading.enumerate())
