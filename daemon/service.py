"""The life of the daemon: lock, adopt, listen, start, wait for a signal, finish within the deadline."""

import asyncio
import math
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import structlog

from weightzip.config.settings import Settings
from weightzip.daemon.adoption import adopt_leftovers
from weightzip.daemon.components import Components, build_components
from weightzip.daemon.disk import write_durably
from weightzip.daemon.http.server import HttpServer
from weightzip.daemon.places import Places, StateLock, choose_places
from weightzip.daemon.priority import lower_priority
from weightzip.daemon.startup import start_up, wait_once
from weightzip.errors import NotFound, UsageError, WeightzipError

_HTTP_THREADS = 32
_WORKER_CHECK_SECONDS = 1.0
_SECOND_SIGNAL_EXIT_CODE = 143
# With `once` somebody waits for the end: a store that is still away after this time ends the run with its error.
_ONCE_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True)
class Ending:
    """How a daemon ended. `idle`: no thread was left in the middle of something that the next start must resume."""

    error: WeightzipError | None
    idle: bool
    n_given_up: int = 0


def run_daemon(settings: Settings, *, once: bool = False) -> Ending:
    """Run the daemon until SIGTERM or SIGINT, or with `once` until everything on disk is committed.

    With `once` it also ends, with that error, when the store has been away for a minute.
    A second signal ends the process at once. If `idle` is false in the answer, threads are still at work: leave by
    `os._exit`, as a kill would; nothing is lost by it.

    Raises:
        UsageError: the configuration does not fit the machine (directories, address).
        NotFound: there is nothing to store for `once`.
        DirectoryInUse: another daemon uses the state directory.
    """
    places = choose_places(settings)
    _check_source(places, once)
    places.state.mkdir(parents=True, exist_ok=True)
    lock = StateLock(places.state)
    lock.acquire()
    lower_priority(settings.limits.nice, settings.limits.io_class)
    parts = build_components(settings, places)
    adopt_leftovers(parts)
    try:
        return asyncio.run(_Service(parts, once).run())
    finally:
        lock.release()


def _check_source(places: Places, once: bool) -> None:
    if once and not places.source.exists():
        raise NotFound(f"source.path: {places.source} does not exist, so there is nothing to store")
    if places.source.exists() and not places.source.is_dir():
        raise UsageError(f"source.path: {places.source} is not a directory")


class _Service:
    """One run of the loop."""

    def __init__(self, parts: Components, once: bool) -> None:
        self._parts = parts
        self._once = once
        self._stop = asyncio.Event()
        self._error: WeightzipError | None = None
        self._log = structlog.get_logger("service")

    async def run(self) -> Ending:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(_HTTP_THREADS, thread_name_prefix="http"))
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._on_signal)
        server = HttpServer(self._parts)
        await self._listen(server)
        self._parts.gateway.start(_ONCE_PATIENCE_SECONDS if self._once else math.inf)
        self._in_thread("startup", self._start_up)
        self._in_thread("store-failure", self._watch_gateway)
        self._in_thread("worker-failure", self._watch_workers)
        await self._stop.wait()
        idle = await loop.run_in_executor(None, self._shut_down)
        await server.stop()
        self._parts.places.served.unlink(missing_ok=True)
        return Ending(self._error, idle, len(self._parts.outcomes.given_up()))

    async def _listen(self, server: HttpServer) -> None:
        """Begin to listen. A run of `once` goes without if it must: it ends by itself, and nobody has to ask it."""
        try:
            address = await server.start()
        except UsageError as error:
            if not self._once:
                raise
            self._log.warning("not listening", error=str(error))
            return
        write_durably(self._parts.places.served, f"http://{address.host}:{address.port}\n".encode())
        self._log.info(
            "listening",
            address=f"{address.host}:{address.port}",
            watch=str(self._parts.places.source),
            state=str(self._parts.places.state),
        )

    def _on_signal(self) -> None:
        if self._stop.is_set():
            self._log.warning("second signal, leaving at once")
            os._exit(_SECOND_SIGNAL_EXIT_CODE)
        self._log.info("stopping", deadline_seconds=self._parts.settings.shutdown.deadline)
        self._parts.drain()
        self._stop.set()

    def _in_thread(self, name: str, call: Callable[[], bool]) -> None:
        """Run a call that says whether the daemon shall end now; an error ends it too."""
        loop = asyncio.get_running_loop()

        def run() -> None:
            try:
                finished = call()
            except WeightzipError as error:
                self._error, finished = error, True
            except Exception as error:  # noqa: BLE001 - a boundary: a thread that dies unseen protects nothing
                self._log.exception("unexpected error", thread=name)
                self._error, finished = WeightzipError(f"{type(error).__name__}: {error}"), True
            if finished and not self._stop.is_set():  # on the way out the loop may be closed already
                loop.call_soon_threadsafe(self._stop.set)

        threading.Thread(target=run, name=name, daemon=True).start()

    def _start_up(self) -> bool:
        start_up(self._parts)
        if self._once:
            wait_once(self._parts)
        return self._once

    def _watch_gateway(self) -> bool:
        failure = self._parts.gateway.wait_failure()
        if failure is not None:
            raise failure
        return False

    def _watch_workers(self) -> bool:
        """A daemon whose worker is gone protects nothing: whoever restarts it must learn of that."""
        while not self._parts.stopping.wait(_WORKER_CHECK_SECONDS):
            ended = self._parts.ended_workers() if self._parts.started.is_set() else ()
            if ended and not self._parts.stopping.is_set():
                self._log.error("a worker thread has ended", threads=ended)
                raise WeightzipError(
                    f"the {' and '.join(ended)} thread has ended by an unexpected error, see the log"
                )
        return False

    def _shut_down(self) -> bool:
        """Look a last time, finish what the deadline allows; returns whether nothing is left in the middle."""
        parts, start = self._parts, time.monotonic()
        deadline_seconds = parts.settings.shutdown.deadline

        def remaining_seconds() -> float:
            return max(start + deadline_seconds - time.monotonic(), 0)

        parts.drain()
        parts.stopping.set()
        flushed = self._error is None and parts.started.is_set() and parts.flush(remaining_seconds())
        if self._once and not flushed and self._error is None:
            self._error = WeightzipError(
                f"{parts.places.source}: ended before everything complete was stored; the next run goes on from there"
            )
        parts.gateway.stop()
        idle = parts.stop_threads(remaining_seconds())
        self._log.info("stopped", flushed=flushed, seconds=round(time.monotonic() - start, 2))
        return idle
