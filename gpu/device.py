"""What the backend asks of a device. CuPy's is in cupy_device.py; the tests bring one whose kernels run on the CPU."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weightzip.codec.source import BytesLike


class Buffer(Protocol):
    """Memory of a device, aligned to 16 bytes, for as long as somebody holds this."""

    @property
    def address(self) -> int:
        """Return where it begins."""

    @property
    def n_bytes(self) -> int:
        """Return its size."""


class Device(Protocol):
    """Memory and kernels of one device. Calls take effect in their order."""

    def allocate(self, n_bytes: int) -> Buffer:
        """Return memory of n_bytes (1 or more), which hold anything."""

    def upload(self, data: BytesLike | NDArray[Any]) -> Buffer:
        """Return a copy of data, which is not empty, in memory of the device."""

    def download(self, address: int, n_bytes: int) -> NDArray[np.uint8]:
        """Return n_bytes of the device's memory, after all calls before this one."""

    def launch(
        self, kernel: str, n_blocks: int, n_threads: int, arguments: Sequence[np.generic], shared_bytes: int
    ) -> None:
        """Run a kernel of source.py on n_blocks blocks of n_threads. Pointers are addresses, of type uint64."""
