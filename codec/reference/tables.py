"""The tables of a block group (docs/format.md, "Tables")."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.reference.bit_reader import BitReader
from weightzip.errors import CorruptData

ESCAPE = 256
CONTEXTS, LOW_CONTEXTS = 2, 3
_N_SYMBOLS = 257
_UNIFORM, _SINGLE, _RANGE = 0, 1, 2


@dataclass(frozen=True)
class Table:
    """Frequencies of the 256 byte values and of the escape (number 256); they sum to 2^prob_bits."""

    frequencies: tuple[int, ...]

    @property
    def has_escape(self) -> bool:
        return self.frequencies[ESCAPE] > 0

    def starts(self) -> npt.NDArray[np.int64]:
        """Return for each symbol the sum of the frequencies before it."""
        return np.cumsum((0, *self.frequencies[:-1]))

    def symbols_by_slot(self) -> npt.NDArray[np.int64]:
        """Return for each slot the symbol that owns it."""
        return np.repeat(np.arange(_N_SYMBOLS), self.frequencies)


@dataclass(frozen=True)
class PlaneTables:
    """What codes one plane. No tables: the plane is never rANS; more than one: the context picks, or the low one."""

    mode: int
    prob_bits: int
    tables: tuple[Table, ...]


def read_planes(cursor: Cursor, n_planes: int, n_contexts: int, n_low_contexts: int) -> list[PlaneTables]:
    """Return the tables of all planes at the cursor."""
    modes = [(cursor.u8("plane_mode"), cursor.u8("prob_bits")) for _ in range(n_planes)]
    for plane, (mode, prob_bits) in enumerate(modes):
        cursor.expect(mode <= LOW_CONTEXTS, f"plane_mode {mode} is reserved")
        cursor.expect(mode != CONTEXTS or n_contexts > 1, "plane_mode 2 with one context")
        cursor.expect(
            mode != LOW_CONTEXTS or (plane > 0 and n_low_contexts > 0), "plane_mode 3 without low contexts"
        )
        cursor.expect(8 <= prob_bits <= 12 if mode else prob_bits == 0, "prob_bits is out of range")
    table_bytes = cursor.u32("table_bytes")
    bits = BitReader(cursor.take(table_bytes, "tables"))
    planes = [
        PlaneTables(
            mode,
            prob_bits,
            tuple(_read_table(bits, prob_bits) for _ in range((0, 1, n_contexts, n_low_contexts)[mode])),
        )
        for mode, prob_bits in modes
    ]
    bits.finish()
    return planes


def _read_table(bits: BitReader, prob_bits: int) -> Table:
    frequencies = [0] * _N_SYMBOLS
    kind = bits.read(2)
    if kind == _UNIFORM:
        frequencies[:ESCAPE] = [1 << (prob_bits - 8)] * ESCAPE
    elif kind == _SINGLE:
        frequencies[bits.read(8)] = 1 << prob_bits
    else:
        _read_range(bits, frequencies, with_escape=kind != _RANGE)
    if sum(frequencies) != 1 << prob_bits:
        raise CorruptData("the frequencies of a table have a wrong sum")
    return Table(tuple(frequencies))


def _read_range(bits: BitReader, frequencies: list[int], *, with_escape: bool) -> None:
    first = bits.read(8)
    count = bits.read(4 if with_escape else 8) + 1
    order = bits.read(3)
    if first + count > ESCAPE or (with_escape and count > 15):
        raise CorruptData("a table has too many symbols")
    for symbol in range(first, first + count):
        frequencies[symbol] = bits.read_exp_golomb(order)
    if with_escape:
        frequencies[ESCAPE] = bits.read_exp_golomb(order)
        if frequencies[ESCAPE] == 0:
            raise CorruptData("an escape has frequency 0")
