"""safetensors files: u64 header size, JSON header, tensor data.

We are more liberal than the format: unpadded headers, any tensor order and holes are fine (what no tensor claims is
glue), unknown dtypes are bytes. A header that makes no sense, or would fill the memory once it is parsed, makes the
file opaque: it still round-trips.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from weightzip.codec.containers.fragment_names import name_fragment, read_fragment_offsets
from weightzip.codec.containers.unreadable import Unreadable
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange
from weightzip.codec.format.limits import MAX_TENSORS
from weightzip.codec.source import ByteSource

# The format's own cap.
MAX_JSON_BYTES = 100_000_000
# Far above what models have (eight to a tensor), and some hundred MB at the worst.
_MAX_JSON_VALUES = 2_000_000
_METADATA = "__metadata__"
_SIZE_BYTES = 8
_MAX_RANK = 255
_MAX_DIMENSION = (1 << 64) - 1


def read_safetensors_layout(source: ByteSource) -> Layout | None:
    """Return the layout of a safetensors file, None if it is none that makes sense."""
    if source.size_bytes < _SIZE_BYTES + 2:
        return None
    json_bytes = int.from_bytes(source.read_at(0, _SIZE_BYTES), "little")
    data_begin = _SIZE_BYTES + json_bytes
    if json_bytes > MAX_JSON_BYTES or data_begin > source.size_bytes:
        return None
    if bytes(source.read_at(_SIZE_BYTES, 1)) != b"{":  # spares parsing what merely has a small first number
        return None
    try:
        tensors = _parse_header(bytes(source.read_at(_SIZE_BYTES, json_bytes)), data_begin)
        _check_places(tensors, source.size_bytes)
    except Unreadable:
        return None
    return Layout(ContainerKind.SAFETENSORS, source.size_bytes, tensors)


def _parse_header(text: bytes, data_begin: int) -> tuple[TensorRange, ...]:
    if sum(map(text.count, (b",", b"[", b"{"))) > _MAX_JSON_VALUES:
        raise Unreadable
    try:
        header = json.loads(text.decode(), object_pairs_hook=_unique_dict)
    except (ValueError, RecursionError) as error:  # ValueError covers bad UTF-8, bad JSON and giant numbers
        raise Unreadable from error
    if not isinstance(header, dict) or len(header) > MAX_TENSORS:
        raise Unreadable
    tensors = [_parse_tensor(name, entry, data_begin) for name, entry in header.items() if name != _METADATA]
    named = _name_fragments(tensors, header)
    return tuple(sorted(named, key=lambda tensor: (tensor.offset, tensor.end)))


def _name_fragments(tensors: list[TensorRange], header: dict[str, Any]) -> Iterator[TensorRange]:
    """Yield the tensors, those that are fragments by names of their own: other files have the other fragments."""
    offsets = read_fragment_offsets(header.get(_METADATA))
    for tensor in tensors:
        name = name_fragment(tensor.name, offsets.get(tensor.name, ()))
        is_fragment = tensor.name in offsets and name not in header
        yield replace(tensor, name=name) if is_fragment else tensor


def _unique_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    items = dict(pairs)
    if len(items) != len(pairs):
        raise Unreadable
    return items


def _parse_tensor(name: str, entry: Any, data_begin: int) -> TensorRange:
    match entry:
        case {"dtype": str(dtype_name), "shape": list(shape), "data_offsets": [int(begin), int(end)]}:
            if not (0 <= begin <= end and len(shape) <= _MAX_RANK and all(map(_is_dimension, shape))):
                raise Unreadable
        case _:
            raise Unreadable
    try:
        name.encode()
    except UnicodeEncodeError as error:  # JSON can spell lone surrogates
        raise Unreadable from error
    dtype = _DTYPES.get(dtype_name, DType.OPAQUE)
    tensor = TensorRange(name, dtype, tuple(shape), data_begin + begin, end - begin)
    if tensor.is_consistent:
        return tensor
    return TensorRange(name, DType.OPAQUE, tensor.shape, tensor.offset, tensor.n_bytes)


def _is_dimension(size: Any) -> bool:
    return type(size) is int and 0 <= size <= _MAX_DIMENSION


def _check_places(tensors: tuple[TensorRange, ...], file_bytes: int) -> None:
    if tensors and tensors[-1].end > file_bytes:
        raise Unreadable
    if any(second.offset < first.end for first, second in pairwise(tensors)):
        raise Unreadable


_DTYPES = {dtype.name: dtype for dtype in DType if dtype != DType.OPAQUE}
