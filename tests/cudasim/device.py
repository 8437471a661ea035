"""A device of weightzip.gpu whose memory is the host's and whose kernels are simulated."""

import ctypes
import weakref
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudasim.module import SimulatedModule
from cudasim.schedule import SCHEDULES, Schedule
from weightzip.gpu.source import read_source

_LIBC = ctypes.CDLL(None)
_LIBC.malloc.restype = ctypes.c_void_p
_LIBC.malloc.argtypes = [ctypes.c_size_t]
_LIBC.free.argtypes = [ctypes.c_void_p]
_POISON = 0xCD


class SimulatedBuffer:
    """Memory of exactly n_bytes from malloc, so that AddressSanitizer sees both of its ends."""

    def __init__(self, n_bytes: int) -> None:
        self.address: int = _LIBC.malloc(n_bytes)
        self.n_bytes = n_bytes
        weakref.finalize(self, _LIBC.free, self.address)

    def fill(self, data: NDArray[np.uint8] | int) -> None:
        """Set its bytes."""
        _view(self.address, self.n_bytes)[:] = data


class SimulatedDevice:
    """A Device of weightzip.gpu.device over simulated modules.

    `changes` are replacements in the source of the kernels: planted bugs. `launched` are the
    names of the kernels that have run.
    """

    def __init__(
        self,
        schedule: Schedule = SCHEDULES[0],
        sanitizers: str = "",
        changes: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._schedule = schedule
        self._sanitizers = sanitizers
        self._changes = changes
        self.launched: list[str] = []

    def allocate(self, n_bytes: int) -> SimulatedBuffer:
        buffer = SimulatedBuffer(n_bytes)
        buffer.fill(_POISON)
        return buffer

    def upload(self, data: Any) -> SimulatedBuffer:
        given = np.ascontiguousarray(np.asarray(data)).reshape(-1).view(np.uint8)
        buffer = SimulatedBuffer(given.nbytes)
        buffer.fill(given)
        return buffer

    def download(self, address: int, n_bytes: int) -> NDArray[np.uint8]:
        return _view(address, n_bytes).copy()

    def launch(
        self, kernel: str, n_blocks: int, n_threads: int, arguments: Sequence[np.generic], shared_bytes: int
    ) -> None:
        module = _load_module(kernel, self._sanitizers, self._changes)
        module.schedule = self._schedule
        self.launched.append(kernel)
        module.get_function(kernel)((n_blocks,), (n_threads,), arguments, shared_mem=shared_bytes)


def _view(address: int, n_bytes: int) -> NDArray[np.uint8]:
    return np.ctypeslib.as_array((ctypes.c_uint8 * n_bytes).from_address(address))


@cache
def _load_module(kernel: str, sanitizers: str, changes: tuple[tuple[str, str], ...]) -> SimulatedModule:
    source = read_source(kernel)
    for old, new in changes:
        source = source.replace(old, new)
    return SimulatedModule(source, sanitizers=sanitizers)
