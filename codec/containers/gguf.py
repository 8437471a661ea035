"""GGUF files, versions 2 and 3, little endian: key-value pairs, a table of tensors, then their data.

Quantised types are opaque ranges: their blocks mix scales and codes, which no recipe knows. Big-endian files are not
read, nor is version 1, which counts with other widths.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import prod

from weightzip.codec.containers.claim import make_claim, settle_claims
from weightzip.codec.containers.scan_cursor import ScanCursor
from weightzip.codec.containers.unreadable import Unreadable
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange
from weightzip.codec.format.limits import MAX_TENSORS
from weightzip.codec.source import ByteSource

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_DEFAULT_ALIGNMENT = 32
_MAX_ALIGNMENT = 1 << 20
_MAX_RANK = 8  # the format says 4 for now
_MAX_NAME_BYTES = 4096
_MAX_DEPTH = 4
_STRING, _ARRAY, _U32 = 8, 9, 4
_VALUE_BYTES = {0: 1, 1: 1, 2: 2, 3: 2, _U32: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_DTYPES = {
    0: DType.F32,
    1: DType.F16,
    24: DType.I8,
    25: DType.I16,
    26: DType.I32,
    27: DType.I64,
    28: DType.F64,
    30: DType.BF16,
}
# Quantised types: elements and bytes of a block. Types that are not here reach up to the next tensor.
_BLOCKS = {
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    29: (256, 56),
    34: (256, 54),
    35: (256, 66),
    39: (32, 17),
    40: (64, 36),
}


@dataclass(frozen=True)
class _Entry:
    """A line of the table of tensors."""

    name: str
    shape: tuple[int, ...]
    type_code: int
    offset: int


def read_gguf_layout(source: ByteSource) -> Layout | None:
    """Return the layout of a GGUF file, None if it is none that is whole and makes sense."""
    cursor = ScanCursor(source)
    try:
        if cursor.take(len(MAGIC)) != MAGIC or cursor.u32() not in _VERSIONS:
            return None
        entries, data_begin = _read_front(cursor)
        claims = _claim_entries(entries, data_begin, source.size_bytes)
    except Unreadable:
        return None
    return Layout(ContainerKind.GGUF, source.size_bytes, settle_claims(claims, source.size_bytes))


def _read_front(cursor: ScanCursor) -> tuple[list[_Entry], int]:
    """Return the table of tensors, and where their data begins."""
    n_tensors, n_pairs = cursor.u64(), cursor.u64()
    if n_tensors > MAX_TENSORS:
        raise Unreadable
    cursor.count_items(n_tensors + n_pairs)
    alignment = _DEFAULT_ALIGNMENT
    for _ in range(n_pairs):
        key = cursor.text(_read_name_size(cursor))
        type_code = cursor.u32()
        if key == "general.alignment" and type_code == _U32:
            alignment = cursor.u32()
        else:
            _skip_value(cursor, type_code, _MAX_DEPTH)
    if not 0 < alignment <= _MAX_ALIGNMENT:
        raise Unreadable
    entries = [_read_entry(cursor) for _ in range(n_tensors)]
    return entries, -(-cursor.position // alignment) * alignment


def _read_name_size(cursor: ScanCursor) -> int:
    n_bytes = cursor.u64()
    if n_bytes > _MAX_NAME_BYTES:
        raise Unreadable
    return n_bytes


def _skip_value(cursor: ScanCursor, type_code: int, depth: int) -> None:
    if type_code == _STRING:
        cursor.skip(cursor.u64())
    elif type_code == _ARRAY and depth > 0:
        item_code, n_items = cursor.u32(), cursor.u64()
        if item_code in _VALUE_BYTES:
            cursor.skip(_VALUE_BYTES[item_code] * n_items)
            return
        cursor.count_items(n_items)
        for _ in range(n_items):
            _skip_value(cursor, item_code, depth - 1)
    elif type_code in _VALUE_BYTES:
        cursor.skip(_VALUE_BYTES[type_code])
    else:
        raise Unreadable


def _read_entry(cursor: ScanCursor) -> _Entry:
    name = cursor.text(_read_name_size(cursor))
    rank = cursor.u32()
    if rank > _MAX_RANK:
        raise Unreadable
    shape = [cursor.u64() for _ in range(rank)]
    return _Entry(name, tuple(reversed(shape)), cursor.u32(), cursor.u64())


def _claim_entries(entries: list[_Entry], data_begin: int, file_bytes: int) -> list[TensorRange]:
    ordered = sorted(entries, key=lambda entry: entry.offset)
    edges = [*(entry.offset for entry in ordered), file_bytes - data_begin]
    claims = []
    for entry, (begin, end) in zip(ordered, pairwise(edges), strict=True):
        room_bytes = end - begin
        n_bytes = _measure(entry, room_bytes)
        if not 0 <= n_bytes <= room_bytes:  # also where the file was cut short
            raise Unreadable
        dtype = _DTYPES.get(entry.type_code, DType.OPAQUE)
        claims.append(make_claim(entry.name, dtype, entry.shape, data_begin + begin, n_bytes))
    return claims


def _measure(entry: _Entry, room_bytes: int) -> int:
    dtype = _DTYPES.get(entry.type_code)
    if dtype is not None:
        return prod(entry.shape) * dtype.element_bytes
    if entry.type_code not in _BLOCKS:
        return room_bytes
    block_elements, block_bytes = _BLOCKS[entry.type_code]
    return -(-prod(entry.shape) // block_elements) * block_bytes
