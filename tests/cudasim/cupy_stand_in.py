"""What CupyDevice uses of CuPy, over simulated modules: kernels and memory are true, the device is the host."""

import ctypes
from types import SimpleNamespace
from typing import Any

from cudasim.device import SimulatedBuffer
from cudasim.module import SimulatedModule


class CUDARuntimeError(RuntimeError):
    """What CuPy raises without a driver."""


class _Pointer:
    """Memory for as long as it is held."""

    def __init__(self, n_bytes: int) -> None:
        self._buffer = SimulatedBuffer(n_bytes)
        self.ptr = self._buffer.address


class _Function:
    """A kernel that refuses more shared memory than it has asked for, as the driver does."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self.max_dynamic_shared_size_bytes = 48 << 10

    def __call__(self, grid: Any, block: Any, args: Any, *, shared_mem: int) -> None:
        if shared_mem > self.max_dynamic_shared_size_bytes:
            raise CUDARuntimeError("an illegal launch: too much shared memory")
        self._kernel(grid, block, args, shared_mem=shared_mem)


class RawModule:
    """A source, compiled when a function is asked for."""

    def __init__(self, *, code: str, options: tuple[str, ...]) -> None:
        self._code = code
        self.options = options

    def get_function(self, name: str) -> _Function:
        return _Function(SimulatedModule(self._code).get_function(name))


def make_cupy(n_devices: int | None = 1) -> Any:
    """Return a module like CuPy with so many devices; None: without a driver."""

    def count_devices() -> int:
        if n_devices is None:
            raise CUDARuntimeError("cudaErrorInsufficientDriver")
        return n_devices

    def copy(to: int, come_from: int, n_bytes: int, _kind: int) -> None:
        ctypes.memmove(to, come_from, n_bytes)

    runtime = SimpleNamespace(
        memcpy=copy,
        memcpyHostToDevice=1,
        memcpyDeviceToHost=2,
        getDeviceCount=count_devices,
        CUDARuntimeError=CUDARuntimeError,
    )
    stream = SimpleNamespace(synchronize=lambda: None)
    cuda = SimpleNamespace(alloc=_Pointer, runtime=runtime, get_current_stream=lambda: stream)
    return SimpleNamespace(RawModule=RawModule, cuda=cuda)
