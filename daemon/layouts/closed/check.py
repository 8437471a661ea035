"""Picks the check for one file by its name and first bytes, and looks for holes and writers."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weightzip.codec.source import ByteSource
from weightzip.daemon.layouts.closed.array_file import find_npy_problem
from weightzip.daemon.layouts.closed.descriptor_source import DescriptorSource
from weightzip.daemon.layouts.closed.holes import find_hole
from weightzip.daemon.layouts.closed.json_file import MAX_JSON_BYTES, load_json
from weightzip.daemon.layouts.closed.msgpack_file import find_msgpack_problem
from weightzip.daemon.layouts.closed.pickle_file import find_pickle_problem
from weightzip.daemon.layouts.closed.readable_file import find_gguf_problem, find_tar_problem
from weightzip.daemon.layouts.closed.safetensors_file import find_safetensors_problem
from weightzip.daemon.layouts.closed.writers import has_writer
from weightzip.daemon.layouts.closed.zip_file import ZIP_MAGIC, find_zip_problem
from weightzip.errors import TruncatedData

Check = Callable[[ByteSource], tuple[str | None, bool]]
"""Says why a file is not whole, and whether its structure shows that it is: it may do neither."""

_ORBAX_METADATA = "_CHECKPOINT_METADATA"
_TORCH_SUFFIXES = (".pt", ".pth", ".bin", ".ckpt", ".pkl")
_FLAX_PREFIX = "checkpoint_"
_BEGINNINGS = {ZIP_MAGIC[:1], ZIP_MAGIC[:2], ZIP_MAGIC[:3], b"\x80"}


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


def check_closed(path: Path, *, trust_kernel: bool) -> Closure:
    """Check one file; `trust_kernel` says whether the kernel tells holes from written zeros, and knows all writers.

    A file of a format without a visible end is closed as far as anybody can tell. Errors of reading are the
    finding: a file that vanished or cannot be read is not closed.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        return Closure(f"cannot be opened: {error.strerror}")
    try:
        return _check_descriptor(descriptor, path.name, trust_kernel)
    except OSError as error:
        return Closure(f"cannot be read: {error.strerror}")
    except TruncatedData as error:
        return Closure(f"became shorter while it was read: {error}")
    finally:
        os.close(descriptor)


def _check_descriptor(descriptor: int, name: str, trust_kernel: bool) -> Closure:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return Closure("is not a regular file any more")
    size_bytes = status.st_size
    if name.endswith(".json") or name == _ORBAX_METADATA:
        return _check_json(descriptor, size_bytes)
    check = _choose_check(name)
    if check is None:
        return Closure()
    if trust_kernel and has_writer(descriptor):
        return Closure("is open for writing")
    problem, proven = check(DescriptorSource(descriptor, size_bytes))
    hole = find_hole(descriptor, size_bytes) if problem is None and trust_kernel else None
    return Closure(problem, proven=proven and problem is None, hole=hole)


def _check_json(descriptor: int, size_bytes: int) -> Closure:
    if size_bytes > MAX_JSON_BYTES:
        return Closure()
    try:
        return Closure(document=load_json(descriptor, size_bytes), proven=True)
    except ValueError as error:
        return Closure(f"is not JSON to its end: {error}")


def _find_torch_problem(source: ByteSource) -> tuple[str | None, bool]:
    if source.size_bytes == 0:
        return "is empty", False
    front = bytes(source.read_at(0, min(source.size_bytes, len(ZIP_MAGIC))))
    if front == ZIP_MAGIC:
        return find_zip_problem(source), True
    if front in _BEGINNINGS:
        return f"has {source.size_bytes} bytes, less than any format", False
    # Foreign files with these endings: only silence tells that they are whole.
    return find_pickle_problem(source)


_CHECKS: dict[str, Check] = {
    ".safetensors": lambda source: (find_safetensors_problem(source), True),
    ".npz": lambda source: (find_zip_problem(source), True),
    ".npy": find_npy_problem,
    ".gguf": find_gguf_problem,
    ".msgpack": find_msgpack_problem,
    ".distcp": lambda _: (None, False),  # `.metadata` beside it tells its size: see dcp_listing.py
    ".nemo": find_tar_problem,
    **dict.fromkeys(_TORCH_SUFFIXES, _find_torch_problem),
}


def _choose_check(name: str) -> Check | None:
    if name.startswith(_FLAX_PREFIX) and name.removeprefix(_FLAX_PREFIX).isdigit():
        return find_msgpack_problem
    return _CHECKS.get(name[name.rfind(".") :]) if "." in name else None
