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
    from weightzip.files.publish import choose_temporary, explain_full_disk

    if not near.parent.is_dir():
        raise NotFound(f"{near.parent}: no such directory")
    spool = choose_temporary(Path(tempfile.gettempdir()) if near == PIPE else near.parent)
    try:
        with explain_full_disk(near), spool.open("xb") as file:
            shutil.copyfileobj(standard_input(), file, 1 << 20)
        yield spool
    finally:
        spool.unlink(missing_ok=True)


@contextmanager
def spooled_output(target: Path) -> Iterator[Path]:
    """Yield target itself, or for `-` a temporary file that is copied to the standard output when the block ends well."""
    if target != PIPE:
        yield target
        return
    from weightzip.files.publish import choose_temporary

    spool = choose_temporary(Path(tempfile.gettempdir()))
    try:
        with binary_output() as stream:
            yield spool
            with spool.open("rb") as file:
                shutil.copyfileobj(file, stream, 1 << 20)
            stream.flush()
    finally:
        spool.unlink(missing_ok=True)


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
