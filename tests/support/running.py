"""A daemon's parts at work inside the test's own process: everything but the HTTP server and the signals."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from weightzip.config import Settings
from weightzip.daemon.adoption import adopt_leftovers
from weightzip.daemon.components import Components, build_components
from weightzip.daemon.places import choose_places
from weightzip.daemon.startup import start_up


@contextmanager
def running(settings: Settings) -> Iterator[Components]:
    """Start all threads, give the parts, stop the threads."""
    parts = build_components(settings, choose_places(settings))
    adopt_leftovers(parts)
    parts.gateway.start()
    assert parts.gateway.wait(30) is not None, parts.gateway.failure
    start_up(parts)
    try:
        yield parts
    finally:
        parts.gateway.stop()
        wait_until(lambda: parts.stop_threads(1.0))  # a prefetch may still be at its last object


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until a condition holds; fails if it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not reached within {seconds} s"
        time.sleep(0.02)
