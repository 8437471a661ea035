"""CUDA kernels on the CPU, behind the interface of CuPy's RawModule, with NumPy arrays for those of the device.

The same source is compiled for the host, every CUDA thread a fiber (see native/machine.hpp), with the accesses of each
thread open to sanitizers. It says nothing about speed. Blocks run one after another: a kernel whose blocks wait for
each other would never end.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cudasim.build import build_module, list_kernels
from cudasim.schedule import SCHEDULES, Schedule


class KernelFault(Exception):
    """A kernel did what CUDA forbids: the message names thread and line."""


class BadLaunch(Exception):
    """A grid, a block or shared memory of a size that no device has."""


Kernel = Callable[..., None]


class SimulatedModule:
    """A kernel source that runs on the CPU. `schedule` may be set between launches."""

    def __init__(
        self,
        code: str,
        options: Sequence[str] = (),
        *,
        sanitizers: str = "",
        schedule: Schedule = SCHEDULES[0],
    ) -> None:
        self.schedule = schedule
        self._names = list_kernels(code)
        self._library = ctypes.CDLL(str(build_module(code, options, sanitizers)))
        self._library.cudasim_error.restype = ctypes.c_char_p

    def get_function(self, name: str) -> Kernel:
        """Return a kernel: call it with grid, block, arguments, and perhaps shared_mem, as one of CuPy.

        Raises:
            KeyError: the source has no such kernel.
        """
        if name not in self._names:
            raise KeyError(name)
        function = self._library[f"cudasim_launch_{name}"]

        def launch(
            grid: Sequence[int], block: Sequence[int], args: Sequence[Any], *, shared_mem: int = 0
        ) -> None:
            held = [_pack(argument) for argument in args]
            pointers = (ctypes.c_void_p * len(held))(*map(ctypes.addressof, held))
            self._library.cudasim_set_schedule(self.schedule.order, ctypes.c_uint64(self.schedule.seed))
            if function(_pack_dim(grid), _pack_dim(block), ctypes.c_size_t(shared_mem), pointers):
                return
            message = self._library.cudasim_error().decode()
            if not message:
                raise BadLaunch(f"{name}: grid {grid}, block {block}, {shared_mem} bytes of shared memory")
            raise KernelFault(f"{name}: {message}")

        return launch


def _pack(argument: Any) -> Any:
    """Return what holds an argument's bytes: an array's address, or a scalar of NumPy as it is."""
    if isinstance(argument, np.ndarray):
        return ctypes.c_uint64(argument.ctypes.data)
    if isinstance(argument, np.generic):
        return (ctypes.c_char * argument.nbytes).from_buffer_copy(argument.tobytes())
    raise TypeError(f"a kernel takes arrays and scalars of NumPy, not {type(argument)}")


def _pack_dim(dim: Sequence[int]) -> Any:
    return (ctypes.c_uint32 * 3)(*(*dim, 1, 1, 1)[:3])
