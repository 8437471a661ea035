"""The one way untrusted bytes are read: bounds first, every field by name."""

from struct import Struct
from typing import Any

import numpy as np
import numpy.typing as npt

from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData, TruncatedData


class Cursor:
    """Reads fields from the front of `data`. `place` says in errors where the bytes come from."""

    def __init__(self, data: BytesLike, place: str) -> None:
        self._data = memoryview(data).cast("B")
        self._position = 0
        self.place = place

    @property
    def position(self) -> int:
        """Return the number of bytes read so far."""
        return self._position

    @property
    def remaining(self) -> int:
        """Return the number of bytes not read yet."""
        return len(self._data) - self._position

    def take(self, n_bytes: int, field: str) -> memoryview:
        """Return the next n_bytes, without a copy.

        Raises:
            TruncatedData: fewer are left.
        """
        if n_bytes > self.remaining:
            raise TruncatedData(f"{self.place}: {field} needs {n_bytes} bytes, {self.remaining} are left")
        view = self._data[self._position : self._position + n_bytes]
        self._position += n_bytes
        return view

    def take_rest(self) -> memoryview:
        """Return all bytes that are left, without a copy."""
        return self.take(self.remaining, "the rest")

    def unpack(self, layout: Struct, what: str) -> tuple[Any, ...]:
        """Return several fields at once: a fraction of the time where each frame has them."""
        return layout.unpack(self.take(layout.size, what))

    def u8(self, field: str) -> int:
        return self.take(1, field)[0]

    def u16(self, field: str) -> int:
        return int.from_bytes(self.take(2, field), "little")

    def u32(self, field: str) -> int:
        return int.from_bytes(self.take(4, field), "little")

    def u64(self, field: str) -> int:
        return int.from_bytes(self.take(8, field), "little")

    def column(self, dtype: npt.DTypeLike, n_items: int, field: str) -> npt.NDArray[Any]:
        """Return n_items of a NumPy dtype such as "<u8", as a read-only array over the same memory."""
        item = np.dtype(dtype)
        view = self.take(n_items * item.itemsize, field)
        array = np.frombuffer(view, dtype=item)
        array.flags.writeable = False
        return array

    def expect(self, condition: bool, message: str) -> None:
        """Raise CorruptData with the message unless the condition holds."""
        if not condition:
            raise CorruptData(f"{self.place}: {message}")

    def finish(self, what: str) -> None:
        """Raise CorruptData unless every byte has been read."""
        self.expect(self.remaining == 0, f"{self.remaining} bytes follow the end of {what}")
