"""Runs one stage of a pipeline in a thread of its own, a bounded number of items ahead."""

import queue
import threading
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class _End:
    error: BaseException | None


def run_ahead(items: Iterable[T], depth: int = 1) -> Generator[T, None, None]:
    """Yield the items while a thread produces the next ones, at most `depth` finished ones waiting.

    An exception of the producer is raised here, after the items before it. Closing this generator (also by
    leaving its loop early and dropping it) stops the thread before its next item.
    """
    waiting: queue.Queue[T | _End] = queue.Queue(maxsize=depth)
    stopped = threading.Event()
    thread = threading.Thread(
        target=_produce, args=(iter(items), waiting, stopped), name="weightzip-ahead", daemon=True
    )
    thread.start()
    try:
        while True:
            item = waiting.get()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item
            del item  # or it would live on while the next one is awaited
    finally:
        stopped.set()
        _drain(waiting)  # makes room for the one item that the thread may be about to hand over
        thread.join()


def _produce(items: Iterator[T], waiting: "queue.Queue[T | _End]", stopped: threading.Event) -> None:
    error: BaseException | None = None
    try:
        for item in items:
            waiting.put(item)
            del item
            if stopped.is_set():
                break
    except BaseException as caught:  # noqa: BLE001  a boundary between threads: the consumer raises it
        error = caught
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()
    if not stopped.is_set():
        waiting.put(_End(error))


def _drain(waiting: "queue.Queue[T | _End]") -> None:
    while True:
        try:
            waiting.get_nowait()
        except queue.Empty:
            return
