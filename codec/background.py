"""Runs the stages of a pipeline in threads of their own, a bounded number of items ahead."""

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

# Frames differ in size, and whoever takes them is busy at times. Measured on a model of many small tensors: two threads
# encode 1.4 times as fast as one with four waiting, 1.3 times with one.
MAX_WAITING = 4


@dataclass(frozen=True)
class _End:
    error: BaseException | None


@dataclass(frozen=True)
class _Failure:
    error: BaseException


def run_ahead(items: Iterable[T], depth: int = 1) -> Generator[T, None, None]:
    """Yield the items while a thread produces the next ones, at most `depth` of them, the unfinished one included.

    An exception of the producer is raised here, after the items before it. Closing this generator stops the thread
    before its next item; do close it (contextlib.closing) where its loop may be left early.
    """
    finished: queue.SimpleQueue[T | _End] = queue.SimpleQueue()
    # A queue with a bound would hold one more than it: that in the making.
    permits = threading.Semaphore(depth)
    stopped = threading.Event()
    thread = threading.Thread(
        target=_produce, args=(iter(items), finished, permits, stopped), name="weightzip-ahead", daemon=True
    )
    thread.start()
    try:
        while True:
            item = finished.get()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            permits.release()
            yield item
            del item  # or it would live on while the next one is awaited
    finally:
        stopped.set()
        permits.release()
        thread.join()


def map_in_order(work: Callable[[T], R], items: Iterable[T], n_at_once: int) -> Generator[R, None, None]:
    """Yield work(item) for each item, in order, while up to `n_at_once` threads are at the next ones.

    With 1 it works in the caller's thread, one item at a time; otherwise up to MAX_WAITING finished ones may wait. An
    exception of `work` is raised in its item's place. Closing this generator waits for what is being worked on.
    """
    if n_at_once == 1:
        yield from map(work, items)
        return
    places: queue.SimpleQueue[queue.SimpleQueue[R | _Failure] | None] = queue.SimpleQueue()
    permits: queue.SimpleQueue[None] = queue.SimpleQueue()  # a semaphore, at a tenth of the time
    for _ in range(n_at_once + MAX_WAITING):
        permits.put(None)
    stopped = threading.Event()
    # Threads that take the next item themselves wait for each other less than those that are handed one.
    arguments = (work, iter(items), threading.Lock(), places, permits, stopped)
    threads = [
        threading.Thread(target=_work_on, args=arguments, name="weightzip-frame", daemon=True)
        for _ in range(n_at_once)
    ]
    for thread in threads:
        thread.start()
    try:
        while (place := places.get()) is not None:
            result = place.get()
            if isinstance(result, _Failure):
                raise result.error
            yield result
            del result, place  # or they would live on while the next one is awaited
            permits.put(None)
    finally:
        stopped.set()
        permits.put(None)
        for thread in threads:
            thread.join()


def _work_on(
    work: Callable[[T], R],
    items: Iterator[T],
    taking: threading.Lock,
    places: "queue.SimpleQueue[queue.SimpleQueue[R | _Failure] | None]",
    permits: "queue.SimpleQueue[None]",
    stopped: threading.Event,
) -> None:
    """Take item after item and put each result into its place; the places are in the order of the items."""
    while True:
        permits.get()
        place: queue.SimpleQueue[R | _Failure] = queue.SimpleQueue()
        with taking:
            try:
                if stopped.is_set():
                    break
                item = next(items)
                places.put(place)
            except StopIteration:
                stopped.set()
                places.put(None)
                break
            except BaseException as error:  # noqa: BLE001  a boundary between threads: the consumer raises it
                stopped.set()
                place.put(_Failure(error))
                places.put(place)
                break
        try:
            place.put(work(item))
        except BaseException as error:  # noqa: BLE001  the same
            place.put(_Failure(error))
        del item, place
    permits.put(None)  # for the next thread to see that it is over


def _produce(
    items: Iterator[T],
    finished: "queue.SimpleQueue[T | _End]",
    permits: threading.Semaphore,
    stopped: threading.Event,
) -> None:
    error: BaseException | None = None
    try:
        permits.acquire()
        for item in items:
            finished.put(item)
            del item
            permits.acquire()
            if stopped.is_set():
                break
    except BaseException as caught:  # noqa: BLE001  a boundary between threads: the consumer raises it
        error = caught
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()
    finished.put(_End(error))
