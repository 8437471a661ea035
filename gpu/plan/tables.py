"""The tables of a group's planes: what each takes when it is expanded, and the jobs to expand them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightzip.codec.reference.tables import ESCAPE, PlaneTables, Table
from weightzip.gpu.plan.layout import N_FREQUENCIES, TABLE_JOB

NO_ESCAPE = 256
_SLOT_BYTES = 4
_SYMBOLS_BYTES = 4 * 256
_ONE_TABLE = 1


@dataclass(frozen=True)
class PlannedTables:
    """`jobs` are rows of TABLE_JOB, addresses counted from 0; `offsets` are those of the planes' expanded tables."""

    jobs: NDArray[np.void]
    frequencies: NDArray[np.uint16]
    offsets: list[int]
    table_bytes: int


def plan_tables(planes: list[PlaneTables]) -> PlannedTables:
    """Return how the tables of planes are expanded, one plane after another."""
    rows: list[tuple[int, ...]] = []
    frequencies: list[tuple[int, ...]] = []
    offsets: list[int] = []
    end = 0
    for plane in planes:
        offsets.append(end)
        for number, table in enumerate(plane.tables):
            first = len(frequencies) * 2 * N_FREQUENCIES
            frequencies.append(table.frequencies)
            by_context = plane.mode != _ONE_TABLE
            row = (
                first,
                end,
                find_escape_byte(table),
                plane.prob_bits,
                by_context,
                number,
                len(plane.tables),
                0,
            )
            rows.append(row)
        end += count_table_bytes(plane)
    columns = np.array(frequencies or [(0,) * N_FREQUENCIES], "<u2")
    return PlannedTables(np.array(rows, TABLE_JOB), columns, offsets, end)


def count_table_bytes(plane: PlaneTables) -> int:
    """Return the size of a plane's expanded tables, a multiple of 16."""
    n_tables = len(plane.tables)
    if n_tables == 0:
        return 0
    if plane.mode == _ONE_TABLE:
        return _SLOT_BYTES << plane.prob_bits
    return n_tables * ((1 << plane.prob_bits) + _SYMBOLS_BYTES)


def find_escape_byte(table: Table) -> int:
    """Return what the escape decodes to until its exception is in place: a symbol that the table does not have."""
    return table.frequencies[:ESCAPE].index(0) if table.has_escape else NO_ESCAPE
