"""Scales: rows multiplied by columns (docs/format.md, "Factors"), in whole numbers.

How large each element is, or its change, in units of 1/256 of a power of two: a share of its predecessor, a factor of
its row and one of its column, added up.
"""

from dataclasses import dataclass
from math import isqrt

import numpy as np
import numpy.typing as npt

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.reference.bit_reader import BitReader
from weightzip.codec.reference.elements import Elements, Numbers, count_bits, take_magnitudes

_MAX_SECTIONS = 4096
_FACTOR_END = 1 << 15
MINUS_EXPONENT = 255


def _compute_log(f: int) -> int:
    """Return round(256 * log2(1 + (f + 1/2) / 256)), without a rounding error."""
    # That is round(y) with 2 y = log2(((2 f + 513) / 512) ** 512), and round(y) = (floor(2 y) + 1) // 2.
    power = (2 * f + 513) ** 512
    return (power.bit_length() - 512 * 9) // 2


def _compute_exp(f: int) -> int:
    """Return round(65536 * (2 ** ((f + 1/2) / 256) - 1)), without a rounding error."""
    # That is round(y) - 65536 with 2 y = 2 ** (17 + (2 f + 1) / 512), a square root taken nine times.
    doubled = 1 << (17 * 512 + 2 * f + 1)
    for _ in range(9):
        doubled = isqrt(doubled)
    return (doubled + 1) // 2 - 65536


LOG = np.array([_compute_log(f) for f in range(256)], dtype=np.int64)
EXP = np.array([_compute_exp(f) for f in range(256)], dtype=np.int64)


@dataclass(frozen=True)
class Section:
    """Neighbouring elements of one tensor. Without columns (n_columns 0) only the base predicts them."""

    n_elements: int
    n_columns: int
    first_column: int

    @property
    def n_rows(self) -> int:
        return -(-(self.first_column + self.n_elements) // self.n_columns) if self.n_columns else 0


@dataclass(frozen=True)
class Factors:
    """What the recipe says of the factors: `sums` is base plus row and column factor of every element."""

    mantissa_bits: int
    weight: int
    sums: Numbers

    def find_scales(self, predecessor: Elements | None, element_bytes: int) -> Elements:
        """Return the scale of every element. The predecessor is there unless the weight is 0."""
        sums = self.sums
        if predecessor is not None and self.weight == MINUS_EXPONENT:
            exponents = take_magnitudes(predecessor).astype(np.int64) >> self.mantissa_bits
            sums = sums - 256 * exponents
        elif predecessor is not None:
            sums = sums + ((self.weight * compute_logs(predecessor, self.mantissa_bits)) >> 4)
        return compute_powers(sums, self.mantissa_bits, element_bytes)


def compute_logs(elements: Elements, mantissa_bits: int) -> Numbers:
    """Return log(p) of every element."""
    magnitudes = take_magnitudes(elements).astype(np.int64)
    fractions = _shift_left(magnitudes, 8 - mantissa_bits) & 255
    logs: Numbers = 256 * (magnitudes >> mantissa_bits) + LOG[fractions]
    return logs


def compute_powers(levels: Numbers, mantissa_bits: int, element_bytes: int) -> Elements:
    """Return exp(L) for every L."""
    end_of_exponents = (1 << (count_bits(element_bytes) - 1 - mantissa_bits)) - 1
    levels = np.clip(levels, 0, 256 * end_of_exponents - 1)
    mantissas = _shift_left(EXP[levels & 255], mantissa_bits - 16)
    powers: Elements = ((levels >> 8) << mantissa_bits | mantissas).astype(f"<u{element_bytes}")
    return powers


def _shift_left(numbers: Numbers, n_bits: int) -> Numbers:
    """Return the numbers shifted to the left, or to the right if n_bits is negative."""
    shifted: Numbers = numbers << n_bits if n_bits >= 0 else numbers >> -n_bits
    return shifted


def read_factors(cursor: Cursor, element_bytes: int, n_elements: int) -> Factors:
    """Return the factors at the cursor, for a frame of n_elements."""
    mantissa_bits, weight, step_log2 = cursor.u8("mantissa_bits"), cursor.u8("weight"), cursor.u8("step_log2")
    exponent_bits = count_bits(element_bytes) - 1 - mantissa_bits
    cursor.expect(
        1 <= mantissa_bits <= 52 and 1 <= exponent_bits <= 11,
        f"mantissa_bits {mantissa_bits} is out of range",
    )
    cursor.expect(weight <= 16 or weight == MINUS_EXPONENT, f"weight {weight} is out of range")
    cursor.expect(step_log2 <= 8, f"step_log2 {step_log2} is out of range")
    sections = _read_sections(cursor, n_elements)
    bits = BitReader(cursor.take(cursor.u32("factor_bytes"), "factors"))
    sums = [_read_sums(cursor, bits, section, step_log2) for section in sections]
    bits.finish()
    return Factors(mantissa_bits, weight, np.concatenate(sums))


def _read_sections(cursor: Cursor, n_elements: int) -> list[Section]:
    n_sections = cursor.u16("n_sections")
    cursor.expect(1 <= n_sections <= _MAX_SECTIONS, f"n_sections {n_sections} is out of range")
    rows = cursor.column("<u4", 3 * n_sections, "sections").reshape(-1, 3)
    sections = [Section(*row) for row in rows.tolist()]
    for section in sections:
        cursor.expect(section.n_elements > 0, "a section is empty")
        cursor.expect(section.n_columns <= section.n_elements, "a section has more columns than elements")
        cursor.expect(section.first_column < max(section.n_columns, 1), "first_column is out of range")
    total = sum(section.n_elements for section in sections)
    cursor.expect(total == n_elements, "the sections do not sum to the elements of the frame")
    return sections


def _read_sums(cursor: Cursor, bits: BitReader, section: Section, step_log2: int) -> Numbers:
    """Return base plus factors of every element of a section."""
    base = bits.read(32)
    base -= (base >> 31) << 32
    if section.n_columns == 0:
        return np.full(section.n_elements, base, dtype=np.int64)
    rows = _read_signed(cursor, bits, section.n_rows)
    columns = _read_signed(cursor, bits, section.n_columns)
    places = section.first_column + np.arange(section.n_elements)
    both = rows[places // section.n_columns] + columns[places % section.n_columns]
    return base + (both << step_log2)


def _read_signed(cursor: Cursor, bits: BitReader, n_factors: int) -> npt.NDArray[np.int64]:
    order = bits.read(4)
    zigzags = np.array([bits.read_exp_golomb(order) for _ in range(n_factors)], dtype=np.int64)
    factors = (zigzags >> 1) ^ -(zigzags & 1)
    is_small = (factors >= -_FACTOR_END) & (factors < _FACTOR_END)
    cursor.expect(bool(np.all(is_small)), "a factor is out of range")
    return factors
