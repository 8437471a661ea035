"""A CUDA device by way of CuPy, which compiles kernels when they are first used and keeps them on disk."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightzip.codec.source import BytesLike
from weightzip.errors import UsageError
from weightzip.gpu.source import read_source

_OPTIONS = ("-std=c++17",)
# More than this a kernel has to ask for.
_SHARED_BYTES_FOR_ALL = 48 << 10


class CupyBuffer:
    """Memory out of CuPy's pool, aligned to 512 bytes; it goes back when nobody holds this any more."""

    def __init__(self, pointer: Any, n_bytes: int) -> None:
        self._pointer = pointer
        self.n_bytes = n_bytes

    @property
    def address(self) -> int:
        return int(self._pointer.ptr)


class CupyDevice:
    """A Device of weightzip.gpu.device. Everything runs on CuPy's current stream."""

    def __init__(self, cupy: Any) -> None:
        self._cupy = cupy
        self._load = cache(self._compile)

    def allocate(self, n_bytes: int) -> CupyBuffer:
        return CupyBuffer(self._cupy.cuda.alloc(n_bytes), n_bytes)

    def upload(self, data: BytesLike | NDArray[Any]) -> CupyBuffer:
        given = np.ascontiguousarray(np.asarray(data))
        buffer = self.allocate(given.nbytes)
        runtime = self._cupy.cuda.runtime
        runtime.memcpy(buffer.address, given.ctypes.data, given.nbytes, runtime.memcpyHostToDevice)
        return buffer

    def download(self, address: int, n_bytes: int) -> NDArray[np.uint8]:
        downloaded = np.empty(n_bytes, np.uint8)
        self._cupy.cuda.get_current_stream().synchronize()
        runtime = self._cupy.cuda.runtime
        runtime.memcpy(downloaded.ctypes.data, address, n_bytes, runtime.memcpyDeviceToHost)
        return downloaded

    def launch(
        self, kernel: str, n_blocks: int, n_threads: int, arguments: Sequence[np.generic], shared_bytes: int
    ) -> None:
        function = self._load(kernel)
        if shared_bytes > max(_SHARED_BYTES_FOR_ALL, function.max_dynamic_shared_size_bytes):
            function.max_dynamic_shared_size_bytes = shared_bytes
        function((n_blocks,), (n_threads,), tuple(arguments), shared_mem=shared_bytes)

    def _compile(self, kernel: str) -> Any:
        return self._cupy.RawModule(code=read_source(kernel), options=_OPTIONS).get_function(kernel)


def open_cupy_device() -> CupyDevice:
    """Return CuPy's current device.

    Raises:
        UsageError: CuPy is not installed, or finds no GPU.
    """
    try:
        cupy = import_module("cupy")
    except ImportError as error:
        raise UsageError(
            "device cuda needs CuPy, which is not installed: install cupy-cuda13x, or cupy-cuda12x for CUDA 12"
        ) from error
    try:
        n_devices = int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise UsageError(f"device cuda: CuPy finds no GPU that works: {error}") from error
    if n_devices == 0:
        raise UsageError("device cuda: there is no GPU; use device cpu")
    return CupyDevice(cupy)
