"""Picks the check for one file by its name and first bytes, and looks for holes."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weightzip.daemon.layouts.closed.holes import find_hole
from weightzip.daemon.layouts.closed.json_file import MAX_JSON_BYTES, load_json
from weightzip.daemon.layouts.closed.safetensors_file import find_safetensors_problem
from weightzip.daemon.layouts.closed.zip_file import ZIP_MAGIC, find_zip_problem

_ZIP_SUFFIXES = (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".npz")


@dataclass(frozen=True)
class Closure:
    """What the check of one file found.

    `problem` is None when the file is closed, `document` is its content if it is small JSON, `proven` says that
    the format itself showed the end (and not merely that nothing spoke against it). `hole` tells of a part that was
    allocated and not written: so far, or because somebody copied zeros sparsely.
    """

    problem: str | None = None
    document: Any = None
    proven: bool = False
    hole: str | None = None


def check_closed(path: Path, *, trust_holes: bool) -> Closure:
    """Check one file; `trust_holes` says whether the file system tells holes from written zeros.

    A file of a format without a visible end is closed as far as anybody can tell. Errors of reading are the
    finding: a file that vanished or cannot be read is not closed.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        return Closure(f"cannot be opened: {error.strerror}")
    try:
        return _check_descriptor(descriptor, path.name, trust_holes)
    except OSError as error:
        return Closure(f"cannot be read: {error.strerror}")
    finally:
        os.close(descriptor)


def _check_descriptor(descriptor: int, name: str, trust_holes: bool) -> Closure:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return Closure("is not a regular file any more")
    size_bytes = status.st_size
    if name.endswith(".json"):
        return _check_json(descriptor, size_bytes)
    problem, proven = None, True
    if name.endswith(".safetensors"):
        problem = find_safetensors_problem(descriptor, size_bytes)
    elif name.endswith(_ZIP_SUFFIXES):
        problem, proven = _find_torch_problem(descriptor, size_bytes)
    else:
        return Closure()
    hole = find_hole(descriptor, size_bytes) if problem is None and trust_holes else None
    return Closure(problem, proven=proven and problem is None, hole=hole)


def _check_json(descriptor: int, size_bytes: int) -> Closure:
    if size_bytes > MAX_JSON_BYTES:
        return Closure()
    try:
        return Closure(document=load_json(descriptor, size_bytes), proven=True)
    except ValueError as error:
        return Closure(f"is not JSON to its end: {error}")


def _find_torch_problem(descriptor: int, size_bytes: int) -> tuple[str | None, bool]:
    if size_bytes == 0:
        return "is empty", False
    if os.pread(descriptor, len(ZIP_MAGIC), 0) == ZIP_MAGIC:
        return find_zip_problem(descriptor, size_bytes), True
    # The older torch format and foreign files with these endings: only silence tells that they are whole.
    return None, False
