"""File events as hints: anything that happens below the watched directory asks for a look, nothing more."""

import logging
from collections.abc import Callable
from pathlib import Path

from watchdog.events import (
    EVENT_TYPE_CLOSED,
    EVENT_TYPE_CREATED,
    EVENT_TYPE_DELETED,
    EVENT_TYPE_MODIFIED,
    EVENT_TYPE_MOVED,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

_WRITER_EVENTS = frozenset(
    {EVENT_TYPE_CREATED, EVENT_TYPE_MODIFIED, EVENT_TYPE_MOVED, EVENT_TYPE_DELETED, EVENT_TYPE_CLOSED}
)


class EventHints:
    """Calls back on file events below a directory, and when the kernel says that it dropped some."""

    def __init__(self, root: Path, on_event: Callable[[], None], on_overflow: Callable[[], None]) -> None:
        self._root = root
        self._watched: tuple[int, int] | None = None
        self._observer: BaseObserver | None = None
        self._handler = _HintHandler(on_event)
        # The library reports an overflow of the kernel's queue only as a log record.
        self._overflow = _OverflowHandler(on_overflow)
        self._logger = logging.getLogger("watchdog.observers.inotify_c")

    def start(self) -> None:
        """Begin watching; raises OSError if the directory is missing or one of the kernel's limits is reached."""
        self._watched = self._identify()
        self._logger.addHandler(self._overflow)
        try:
            self._root.stat()  # before the kernel is asked for anything: a missing directory is asked for again and again
            self._observer = Observer()
            self._observer.schedule(self._handler, str(self._root), recursive=True)
            self._observer.start()
        except OSError:
            self.stop()
            raise

    def stop(self) -> None:
        """End watching; harmless if it never began."""
        self._logger.removeHandler(self._overflow)
        observer, self._observer = self._observer, None
        if observer is None:
            return
        observer.stop()  # also one that never ran: the library asks the kernel for an instance when it is made
        if observer.is_alive():
            observer.join()

    def is_alive(self) -> bool:
        """Say whether events can still arrive: they end when the directory is deleted, replaced or unmounted."""
        observer = self._observer
        if observer is None or self._watched is None or self._watched != self._identify():
            return False
        return observer.is_alive() and all(emitter.is_alive() for emitter in observer.emitters)

    def _identify(self) -> tuple[int, int] | None:
        try:
            status = self._root.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino


class _HintHandler(FileSystemEventHandler):
    def __init__(self, on_event: Callable[[], None]) -> None:
        self._on_event = on_event

    def on_any_event(self, event: FileSystemEvent) -> None:
        # Our own reading raises "opened" and "closed without writing": those must not wake us again.
        if event.event_type in _WRITER_EVENTS:
            self._on_event()


class _OverflowHandler(logging.Handler):
    def __init__(self, on_overflow: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._on_overflow = on_overflow

    def emit(self, record: logging.LogRecord) -> None:
        if "overflow" in record.getMessage().lower():
            self._on_overflow()
