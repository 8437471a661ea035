"""Elements: the values of a tensor as unsigned integers of 1, 2, 4 or 8 bytes."""

from typing import Any

import numpy as np
import numpy.typing as npt

from weightzip.codec.source import BytesLike

Elements = npt.NDArray[Any]
Numbers = npt.NDArray[np.int64]


def view_elements(data: BytesLike, element_bytes: int) -> Elements:
    """Return the elements in data, little-endian."""
    return np.frombuffer(data, dtype=f"<u{element_bytes}")


def count_bits(element_bytes: int) -> int:
    """Return w, the bits of an element."""
    return 8 * element_bytes


def take_magnitudes(elements: Elements) -> npt.NDArray[np.uint64]:
    """Return the elements without their sign bit."""
    sign = elements.dtype.type(1 << (count_bits(elements.itemsize) - 1))
    magnitudes: npt.NDArray[np.uint64] = (elements & ~sign).astype(np.uint64)
    return magnitudes
