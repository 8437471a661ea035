"""`-` as a file name: what cannot be read or written in one pass goes through a temporary file."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from weightzip.errors import UsageError

PIPE = Path("-")


@contextmanager
def spooled_input(source: Path, *, near: Path) -> Iterator[Path]:
    """Yield source itself, or for `-` a temporary file with all of the standard input."""
    if source != PIPE:
        yield source
        return
    with tempfile.TemporaryDirectory(
        prefix=".weightzip-", suffix=".tmp", dir=None if near == PIPE else near.parent
    ) as spool:
        path = Path(spool) / "stdin"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        yield path


@contextmanager
def spooled_output(target: Path, stream: BinaryIO) -> Iterator[Path]:
    """Yield target itself, or for `-` a temporary file that is copied to the stream when the block ends well."""
    if target != PIPE:
        yield target
        return
    refuse_terminal(stream)
    with tempfile.TemporaryDirectory(prefix="weightzip-") as spool:
        path = Path(spool) / "stdout"
        yield path
        with path.open("rb") as file:
            shutil.copyfileobj(file, stream, 1 << 20)
        stream.flush()


def refuse_terminal(stream: BinaryIO) -> None:
    """Raise UsageError if binary data would go to a terminal."""
    if stream.isatty():
        raise UsageError("the standard output is a terminal: redirect it, or name a file")
