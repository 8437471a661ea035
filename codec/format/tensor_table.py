"""The index's columns on tensors (docs/format.md, "Index frame body")."""

from itertools import accumulate, pairwise

import numpy as np

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.frame_table import Column
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.format.limits import MAX_TENSORS


def encode_tensor_table(tensors: tuple[TensorRange, ...]) -> bytes:
    """Return n_tensors, the columns, the dimensions and the names."""
    names = [tensor.name.encode() for tensor in tensors]
    columns = [
        np.array([tensor.offset for tensor in tensors], dtype="<u8"),
        np.array([tensor.n_bytes for tensor in tensors], dtype="<u8"),
        np.array([tensor.dtype for tensor in tensors], dtype="<u1"),
        np.array([len(tensor.shape) for tensor in tensors], dtype="<u1"),
        np.array([len(name) for name in names], dtype="<u4"),
        np.array([size for tensor in tensors for size in tensor.shape], dtype="<u8"),
    ]
    table = len(tensors).to_bytes(4, "little") + b"".join(column.tobytes() for column in columns)
    return table + b"".join(names)


def decode_tensor_table(cursor: Cursor, file_bytes: int) -> tuple[TensorRange, ...]:
    """Return the tensors at the cursor, proven to lie in the shard, in order and under unique names."""
    n_tensors = cursor.u32("n_tensors")
    cursor.expect(n_tensors <= MAX_TENSORS, f"{n_tensors} tensors are too many")
    offsets = cursor.column("<u8", n_tensors, "offset")
    sizes = cursor.column("<u8", n_tensors, "tensor_bytes")
    dtypes = cursor.column("<u1", n_tensors, "dtype")
    ranks = cursor.column("<u1", n_tensors, "rank")
    name_sizes = cursor.column("<u4", n_tensors, "name_bytes")
    dimensions = cursor.column("<u8", int(ranks.sum(dtype=np.uint64)), "dimensions")
    names = _decode_names(cursor, name_sizes)
    _check_places(cursor, offsets, sizes, file_bytes)
    cursor.expect(bool(np.all(dtypes <= max(DType))), "a tensor's dtype is reserved")
    rank_ends = pairwise(accumulate(ranks.tolist(), initial=0))
    sizes_by_dimension = dimensions.tolist()
    tensors = tuple(
        TensorRange(name, DType(dtype), tuple(sizes_by_dimension[begin:end]), offset, n_bytes)
        for name, dtype, (begin, end), offset, n_bytes in zip(
            names, dtypes.tolist(), rank_ends, offsets.tolist(), sizes.tolist(), strict=True
        )
    )
    for tensor in tensors:
        cursor.expect(tensor.is_consistent, f"tensor {tensor.name!r}: its shape does not give its size")
    return tensors


def _decode_names(cursor: Cursor, name_sizes: Column) -> list[str]:
    text = bytes(cursor.take(int(name_sizes.sum(dtype=np.uint64)), "names"))
    ends = pairwise(accumulate(name_sizes.tolist(), initial=0))
    try:
        names = [text[begin:end].decode() for begin, end in ends]
    except UnicodeDecodeError:
        names = []
    cursor.expect(len(names) == len(name_sizes), "a tensor's name is not UTF-8")
    cursor.expect(len(set(names)) == len(names), "two tensors have one name")
    return names


def _check_places(cursor: Cursor, offsets: Column, sizes: Column, file_bytes: int) -> None:
    cursor.expect(
        bool(np.all((sizes <= file_bytes) & (offsets <= file_bytes))), "a tensor lies outside the shard"
    )
    ends = offsets + sizes  # cannot wrap: both were just compared with the file's size, which is below 2^63
    cursor.expect(bool(np.all(ends <= file_bytes)), "a tensor reaches beyond the shard")
    cursor.expect(bool(np.all(offsets[1:] >= ends[:-1])), "tensors overlap or are out of order")
