"""The factors of a block group, as the kernels take them (docs/format.md, "Factors")."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.reference.bit_reader import BitReader
from weightzip.gpu.plan.layout import SECTION

# No other term of a sum comes near: a base beyond this gives the same scale as this, once that is clamped.
_BASE_LIMIT = 1 << 26


@dataclass(frozen=True)
class PlannedFactors:
    """`sections` are rows of SECTION; their factors, rows and columns, stand in `values`."""

    mantissa_bits: int
    weight: int
    step_log2: int
    sections: NDArray[np.void]
    values: NDArray[np.int16]


def read_planned_factors(cursor: Cursor) -> PlannedFactors:
    """Return the factors at the cursor, which the recipe's reader found to be in order."""
    mantissa_bits, weight, step_log2 = cursor.u8("mantissa_bits"), cursor.u8("weight"), cursor.u8("step_log2")
    n_sections = cursor.u16("n_sections")
    shapes = cursor.column("<u4", 3 * n_sections, "sections").reshape(-1, 3).tolist()
    bits = BitReader(cursor.take(cursor.u32("factor_bytes"), "factors"))
    sections: list[tuple[int, ...]] = []
    values: list[int] = []
    first_element = 0
    for n_elements, n_columns, first_column in shapes:
        base = _sign(bits.read(32), 32)
        rows = len(values)
        if n_columns > 0:
            n_rows = -(-(first_column + n_elements) // n_columns)
            values += _read_signed(bits, n_rows)
        columns = len(values)
        values += _read_signed(bits, n_columns) if n_columns > 0 else []
        limited = max(-_BASE_LIMIT, min(_BASE_LIMIT, base))
        sections.append((first_element, n_columns, first_column, limited, rows, columns))
        first_element += n_elements
    return PlannedFactors(
        mantissa_bits, weight, step_log2, np.array(sections, SECTION), np.array(values or [0], np.int16)
    )


def _read_signed(bits: BitReader, n: int) -> list[int]:
    order = bits.read(4)
    zigzags = (bits.read_exp_golomb(order) for _ in range(n))
    return [(zigzag >> 1) ^ -(zigzag & 1) for zigzag in zigzags]


def _sign(value: int, n_bits: int) -> int:
    return value - (value >> (n_bits - 1) << n_bits)
