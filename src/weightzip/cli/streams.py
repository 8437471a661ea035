"""The standard streams of the process, as a careless parent or a hostile name may leave them. Formats nothing."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from weightzip.errors import UsageError


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
    return sys.stdin.buffer


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Yield the standard output and flush it; errors of the block that name no file are given its name.

    Raises:
        UsageError: the parent closed it.
    """
    if sys.stdout is None:
        raise UsageError("the standard output is closed")
    try:
        yield sys.stdout
        sys.stdout.flush()
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
