"""Runs the stages of a pipeline in threads of their own, a bounded number of items ahead."""

import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class _End:
    error: BaseException | None


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

    With 1 it works in the caller's thread, one item at a time; otherwise one finished item more may wait. An
    exception of `work` is raised in its item's place. Closing this generator waits for what is being worked on.
    """
    if n_at_once == 1:
        yield from map(work, items)
        return
    pending: deque[Future[R]] = deque()
    with ThreadPoolExecutor(n_at_once, thread_name_prefix="weightzip-frame") as pool:
        try:
            for item in items:
                pending.append(pool.submit(work, item))
                del item
                if len(pending) > n_at_once:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


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
