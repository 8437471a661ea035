"""The standard streams of the process, as a careless parent or a hostile name may leave them. Formats nothing."""

import io
import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

from weightzip.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# How long a signal may have to wait for its handler.
_SIGNAL_SECONDS = 0.2


def prepare_streams() -> None:
    """Make the streams safe to use: call it once, before any file is opened.

    Where a parent closed a stream, its descriptor is taken, or the next file we open would become, say, the standard
    error of every library. Text that the terminal's encoding lacks is escaped instead of refused.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  open as long as the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def standard_input() -> BinaryIO:
    """Return the standard input. Raises UsageError if the parent closed it."""
    if sys.stdin is None:
        raise UsageError("the standard input is closed")
    return io.BufferedReader(_InterruptibleInput(sys.stdin.fileno()), 1 << 20)


class _InterruptibleInput(io.RawIOBase):
    """Reads a descriptor, but never blocks in the read itself.

    A signal that arrives just before a blocking read would wait for the next byte, for ever if none comes.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        while not select.select([self._descriptor], [], [], _SIGNAL_SECONDS)[0]:
            pass
        return os.readv(self._descriptor, [buffer])


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Yield the standard output and flush it; errors of the block that name no file are given its name.

    If nobody reads it any more, the process ends as the signal would end it, without a word.

    Raises:
        UsageError: the parent closed it.
    """
    if sys.stdout is None:
        raise UsageError("the standard output is closed")
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # what is still in the buffer must go somewhere at the end
        sys.exit(128 + signal.SIGPIPE)
    except OSError as error:
        if error.filename is None:
            error.filename = "standard output"
        raise


def escape_controls(text: str, keep: str = "") -> str:
    """Return text with everything that is no printable character escaped, except those in `keep`.

    Names come from files and stores of others: a line feed would forge a line, an escape sequence would command the
    terminal.
    """
    return "".join(
        letter if letter.isprintable() or letter in keep else letter.encode("unicode_escape").decode()
        for letter in text
    )
