"""`-` as a file name: what cannot be read or written in one pass goes through a temporary file."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from weightzip.cli.streams import standard_input, standard_output
from weightzip.errors import NotFound, UsageError

PIPE = Path("-")


@contextmanager
def spooled_input(source: Path, *, near: Path) -> Iterator[Path]:
    """Yield source itself, or for `-` a temporary file with all of the standard input.

    Raises:
        NotFound: the directory of `near` does not exist.
        DiskFull: the standard input does not fit there.
    """
    if source != PIPE:
        yield source
        return
    from weightzip.files.publish import explain_full_disk
    from weightzip.files.temporary import spool_file

    if not near.parent.is_dir():
        raise NotFound(f"{near.parent}: no such directory")
    with spool_file(Path(tempfile.gettempdir()) if near == PIPE else near.parent) as (spool, file):
        with explain_full_disk(near):
            shutil.copyfileobj(standard_input(), file, 1 << 20)
            file.flush()
        yield spool


@contextmanager
def spooled_output(target: Path) -> Iterator[Path]:
    """Yield target itself, or for `-` a temporary file that is copied to the standard output when the block ends well."""
    if target != PIPE:
        yield target
        return
    with tempfile.TemporaryDirectory(prefix="weightzip-") as folder, binary_output() as stream:
        spool = Path(folder, "archive")
        yield spool
        with spool.open("rb") as file:
            shutil.copyfileobj(file, stream, 1 << 20)
        stream.flush()


@contextmanager
def binary_output() -> Iterator[BinaryIO]:
    """Yield the standard output for binary data.

    Raises:
        UsageError: it is a terminal, or closed.
    """
    with standard_output() as stream:
        if stream.isatty():
            raise UsageError("the standard output is a terminal: redirect it, or name a file")
        yield stream.buffer
