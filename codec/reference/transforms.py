"""From coded elements to the elements themselves (docs/format.md, "Transforms")."""

import numpy as np
import numpy.typing as npt

from weightzip.codec.reference.elements import Elements, count_bits
from weightzip.codec.reference.recipe import Transform


def join_planes(planes: list[npt.NDArray[np.uint8]]) -> Elements:
    """Return the elements whose bytes stand in the planes, most significant first."""
    elements: Elements = np.stack(planes[::-1], axis=1).reshape(-1).view(f"<u{len(planes)}")
    return elements


def invert_transform(transform: Transform, u: Elements, p: Elements | None, zero_bits: int) -> Elements:
    """Return x for the coded u and the predicted p (None where the transform needs none)."""
    if transform == Transform.IDENTITY:
        return u
    one, z = u.dtype.type(1), u.dtype.type(zero_bits)
    if transform == Transform.ROTATE or p is None:
        top = u.dtype.type(count_bits(u.itemsize) - 1)
        rotated: Elements = (u >> one >> z << z) | (u >> z << top)
        return rotated
    # NumPy's unsigned arithmetic wraps, which is what modulo 2^w asks for.
    difference: Elements = (u >> one) ^ (u.dtype.type(0) - (u & one))
    restored: Elements
    if transform == Transform.INTEGER_DIFFERENCE:
        restored = (difference + (p >> z)) << z
    else:
        restored = _unorder((difference + (_order(p) >> z)) << z) >> z << z
    return restored


def _order(x: Elements) -> Elements:
    sign = x.dtype.type(1 << (count_bits(x.itemsize) - 1))
    return np.where(x & sign, ~x, x | sign)


def _unorder(y: Elements) -> Elements:
    sign = y.dtype.type(1 << (count_bits(y.itemsize) - 1))
    return np.where(y & sign, y & ~sign, ~y)
