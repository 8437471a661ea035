"""Compares some KB of tensors before it is believed that one tells another."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightzip.codec.cutting.place import Part, ScatteredPlace
from weightzip.codec.derivation import DERIVED_BYTES, PROBE_ELEMENTS, find_derivation
from weightzip.codec.format.data_frame import Piece
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.source import BytesLike, ByteSource

_PROBE_BYTES = 4096
_INTEGERS = {DType.F64: "<i8", DType.F32: "<i4", DType.F16: "<i2", DType.BF16: "<i2"}

MAX_NEAR = {DType.F64: 51.0, DType.F32: 22.0, DType.F16: 9.0, DType.BF16: 6.0}
"""Distances from which on one tensor tells next to nothing of another: most of the mantissa differs."""


class File(NamedTuple):
    """A file to lean on, by the number that its reference will have."""

    reference: int
    source: ByteSource
    tensors: Mapping[str, TensorRange]


def read_ends(file: File, tensor: TensorRange) -> bytes:
    """Return the first and the last bytes of a tensor, which may overlap."""
    n_bytes = min(_PROBE_BYTES, tensor.n_bytes)
    ends = (tensor.offset, tensor.end - n_bytes)
    return b"".join(file.source.read_at(offset, n_bytes) for offset in ends)


def have_equal_ends(file: File, tensor: TensorRange, other_file: File, other: TensorRange) -> bool:
    """Return whether two tensors agree in their first and last bytes."""
    return read_ends(file, tensor) == read_ends(other_file, other)


def is_constant(data: bytes) -> bool:
    """Return whether bytes repeat the first 8."""
    return data == data[:8] * (len(data) // 8)


def seems_derived(file: File, tensor: TensorRange, other_file: File, other: TensorRange) -> bool:
    """Return whether the first elements of a tensor follow from those of one in fp32."""
    place = Part(0, Piece(other.offset, other.n_bytes, other_file.reference))
    return _is_derived_part(file, tensor, place, other_file.source)


def seem_derived_parts(
    file: File, tensor: TensorRange, place: ScatteredPlace, sources: Mapping[int, ByteSource]
) -> bool:
    """Return whether that seems so of every part of a place in fp32; `sources` are files by reference."""
    return all(_is_derived_part(file, tensor, part, sources[part.piece.reference]) for part in place.parts)


def _is_derived_part(file: File, tensor: TensorRange, part: Part, source: ByteSource) -> bool:
    """Return whether the first elements of a part tell those of the tensor at its place."""
    n_bytes = min(2 * DERIVED_BYTES * PROBE_ELEMENTS, part.piece.n_bytes)
    raw = file.source.read_at(tensor.offset + part.begin // 2, n_bytes // 2)
    return find_derivation(raw, source.read_at(part.piece.offset, n_bytes)) is not None


def measure_distance(file: File, tensor: TensorRange, other_file: File, other: TensorRange) -> float:
    """Return how many bits it takes on average to tell elements of the middle of a tensor from those of another.

    Both have one form, of a dtype in MAX_NEAR.
    """
    n_bytes = min(_PROBE_BYTES, tensor.n_bytes)
    begin = (tensor.n_bytes - n_bytes) // 2 // tensor.dtype.element_bytes * tensor.dtype.element_bytes
    first, second = (
        _order(one.source.read_at(place.offset + begin, n_bytes), tensor.dtype)
        for one, place in ((file, tensor), (other_file, other))
    )
    return float(np.log2(1 + np.abs(first - second)).mean())


def _order(data: BytesLike, dtype: DType) -> NDArray[np.float64]:
    """Return floats as integers in the same order, as floats: good enough for a distance."""
    integers = np.frombuffer(data, _INTEGERS[dtype])
    ordered: NDArray[np.signedinteger] = integers ^ (
        (integers >> (dtype.bits - 1)) & np.iinfo(integers.dtype).max
    )
    return ordered.astype(np.float64)
