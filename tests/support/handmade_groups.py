"""Block groups written by hand, field by field: for what an encoder never writes, and for what it may choose not to.

The numbers here are those of docs/format.md, not imported from the code under test.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

IDENTITY, ROTATE, FLOAT_DIFFERENCE, INTEGER_DIFFERENCE = range(4)
NO_PREDICTOR, FROM_PREDECESSOR, FROM_FACTORS = range(3)
NO_CONTEXT, BY_PREDECESSOR, BY_COMPANION, BY_SCALE = range(4)

MINUS_EXPONENT = 255

BLOCK_LOG2 = 10
_RAW_STORAGE, _CONSTANT_STORAGE, _RANS_STORAGE = 0, 1 << 24, 2 << 24
_IDLE_LANES = struct.pack("<32I", *[1 << 16] * 32)


class BitWriter:
    """Puts bit fields into bytes, from bit 0 of the first byte upward."""

    def __init__(self) -> None:
        self._value = 0
        self._n_bits = 0

    def put(self, value: int, n_bits: int) -> None:
        """Append n_bits, least significant bit first."""
        self._value |= (value & ((1 << n_bits) - 1)) << self._n_bits
        self._n_bits += n_bits

    def put_exp_golomb(self, value: int, order: int) -> None:
        """Append a number in the Exp-Golomb code of the order."""
        digits = f"{value + (1 << order):b}"
        for digit in "0" * (len(digits) - order - 1) + digits:
            self.put(int(digit), 1)

    def finish(self) -> bytes:
        """Return all bytes, the last one filled with zeros."""
        return self._value.to_bytes(-(-self._n_bits // 8), "little")


@dataclass(frozen=True)
class HandSection:
    """A section with its factors; n_columns 0: the base alone."""

    n_elements: int
    n_columns: int = 0
    first_column: int = 0
    base: int = 0
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()


def write_factors(
    mantissa_bits: int, weight: int, step_log2: int, sections: Sequence[HandSection], *, order: int = 4
) -> bytes:
    """Return the stored factors."""
    stored = struct.pack("<3BH", mantissa_bits, weight, step_log2, len(sections))
    bits = BitWriter()
    for section in sections:
        stored += struct.pack("<3I", section.n_elements, section.n_columns, section.first_column)
        bits.put(section.base, 32)
        for factors in (section.rows, section.columns) if section.n_columns else ():
            bits.put(order, 4)
            for factor in factors:
                bits.put_exp_golomb(2 * factor if factor >= 0 else -2 * factor - 1, order)
    stream = bits.finish()
    return stored + struct.pack("<I", len(stream)) + stream


def write_context_source(key_shift: int, key_base: int, runs: Sequence[tuple[int, int]]) -> bytes:
    """Return a stored context source; `runs` are pairs of context and last key."""
    return struct.pack("<BI", key_shift, key_base) + _write_runs(runs)


def write_low_contexts(n_contexts: int, runs: Sequence[tuple[int, int]]) -> bytes:
    """Return stored low contexts; `runs` are pairs of context and last key."""
    return bytes([n_contexts]) + _write_runs(runs)


def _write_runs(runs: Sequence[tuple[int, int]]) -> bytes:
    return bytes([len(runs) - 1]) + b"".join(bytes(run) for run in runs)


def write_recipe(
    element_bytes: int,
    transform: int,
    *,
    n_contexts: int = 1,
    predictor: int = NO_PREDICTOR,
    context_input: int = NO_CONTEXT,
    companion_bytes: int = 1,
    source: bytes = b"",
    factors: bytes = b"",
    low_contexts: bytes = b"\0",
    zero_bits: int = 0,
) -> bytes:
    """Return a stored recipe with blocks of 1024 elements."""
    head = (_log2(element_bytes), transform, BLOCK_LOG2, n_contexts, predictor, context_input)
    return bytes([*head, _log2(companion_bytes)]) + source + factors + low_contexts + bytes([zero_bits])


def build_raw_group(recipe: bytes, coded: NDArray[np.unsignedinteger]) -> bytes:
    """Return a group that stores the coded elements as they are, plane by plane."""
    n_planes = coded.itemsize
    planes = coded.astype(f">u{n_planes}").view(np.uint8).reshape(-1, n_planes).T
    entries: list[int] = []
    area = b""
    for begin in range(0, len(coded), 1 << BLOCK_LOG2):
        for plane in planes:
            payload = plane[begin : begin + (1 << BLOCK_LOG2)].tobytes()
            entries.append(_RAW_STORAGE | len(payload))
            area += bytes(-len(area) % 16) + payload
    return recipe + bytes(2 * n_planes) + bytes(4) + struct.pack(f"<{len(entries)}I", *entries) + area


def build_context_group(recipe: bytes, element_bytes: int, n_contexts: int, n_elements: int) -> bytes:
    """Return a group whose coded elements are their contexts.

    In the last plane each context has a table of one symbol, its own number; the others are 0.
    """
    modes = bytes(2 * (element_bytes - 1)) + bytes([2, 8])
    bits = BitWriter()
    for context in range(n_contexts):
        bits.put(1, 2)
        bits.put(context, 8)
    tables = bits.finish()
    n_blocks = -(-n_elements // (1 << BLOCK_LOG2))
    entries = ([_CONSTANT_STORAGE] * (element_bytes - 1) + [_RANS_STORAGE | len(_IDLE_LANES)]) * n_blocks
    table = struct.pack(f"<{len(entries)}I", *entries)
    return recipe + modes + struct.pack("<I", len(tables)) + tables + table + _IDLE_LANES * n_blocks


def build_low_context_group(recipe: bytes, top: NDArray[np.uint8], n_planes: int, n_contexts: int) -> bytes:
    """Return a group whose top plane holds the bytes `top`, and whose other planes hold the low contexts of these.

    Each low context has a table of one symbol, its own number.
    """
    bits = BitWriter()
    for _ in range(n_planes - 1):
        for context in range(n_contexts):
            bits.put(1, 2)
            bits.put(context, 8)
    tables = bits.finish()
    entries: list[int] = []
    area = b""
    for begin in range(0, len(top), 1 << BLOCK_LOG2):
        payload = top[begin : begin + (1 << BLOCK_LOG2)].tobytes()
        entries += [_RAW_STORAGE | len(payload)] + [_RANS_STORAGE | len(_IDLE_LANES)] * (n_planes - 1)
        area += bytes(-len(area) % 16) + payload
        for _ in range(n_planes - 1):
            area += bytes(-len(area) % 16) + _IDLE_LANES
    head = recipe + bytes(2) + bytes([3, 8]) * (n_planes - 1) + struct.pack("<I", len(tables)) + tables
    return head + struct.pack(f"<{len(entries)}I", *entries) + area


def list_needs(group: bytes) -> tuple[bool, bool]:
    """Tell from a sound recipe whether its group needs predecessor bytes, and whether companion bytes."""
    n_contexts, predictor, context_input = group[3:6]
    needs_predecessor = predictor == FROM_PREDECESSOR or context_input == BY_PREDECESSOR
    if predictor == FROM_FACTORS or context_input == BY_SCALE:
        source_bytes = 6 + 2 * (group[12] + 1) if n_contexts > 1 else 0
        needs_predecessor |= group[7 + source_bytes + 1] > 0
    return needs_predecessor, context_input == BY_COMPANION


def _log2(n_bytes: int) -> int:
    return n_bytes.bit_length() - 1
