"""The block table and where its payloads stand (docs/format.md, "Block table")."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.reference.tables import PlaneTables
from weightzip.gpu.plan.layout import PAYLOAD

RAW, CONSTANT, RANS = 0, 1, 2
ALIGNMENT = 16
_STATE_BYTES = 128
_COUNT_BYTES = 4


def read_payloads(
    cursor: Cursor, planes: Sequence[PlaneTables], block_elements: Sequence[int]
) -> tuple[NDArray[np.void], memoryview]:
    """Return rows of PAYLOAD, block by block and plane by plane, and the payload area, which ends with the group."""
    entries = cursor.column("<u4", len(block_elements) * len(planes), "block table")
    rows = np.zeros(len(entries), PAYLOAD)
    rows["storage"], rows["bytes"] = entries >> 24, entries & 0xFFFFFF
    sizes = np.where(rows["storage"] == CONSTANT, 0, rows["bytes"]).astype(np.int64)
    padded = -(-sizes // ALIGNMENT) * ALIGNMENT
    rows["offset"] = np.cumsum(padded) - padded
    _check_entries(cursor, rows, planes, block_elements)
    filled = np.flatnonzero(sizes)
    area_bytes = int(rows["offset"][filled[-1]]) + int(sizes[filled[-1]]) if len(filled) else 0
    area = cursor.take(area_bytes, "payloads")
    cursor.finish("the payload area")
    for row, size in zip(rows[filled[:-1]].tolist(), sizes[filled[:-1]].tolist(), strict=True):
        end = row[2] + size
        cursor.expect(not any(area[end : end + -end % ALIGNMENT]), "padding between payloads is set")
    return rows, area


def _check_entries(
    cursor: Cursor, rows: NDArray[np.void], planes: Sequence[PlaneTables], block_elements: Sequence[int]
) -> None:
    entries = rows.reshape(len(block_elements), len(planes))
    storages, values = entries["storage"], entries["bytes"]
    elements = np.array(block_elements)[:, None]
    has_tables = np.array([bool(plane.tables) for plane in planes])
    has_escape = [any(table.has_escape for table in plane.tables) for plane in planes]
    least = _STATE_BYTES + _COUNT_BYTES * np.array(has_escape)
    is_rans = storages == RANS
    cursor.expect(bool((storages <= RANS).all()), "a plane_storage is reserved")
    cursor.expect(bool((~is_rans | has_tables).all()), "a plane without tables is rANS")
    cursor.expect(bool((values == elements)[storages == RAW].all()), "a raw plane has a wrong size")
    cursor.expect(bool((values[storages == CONSTANT] < 256).all()), "a constant is no byte")
    cursor.expect(
        bool((values >= least)[is_rans].all()), "a rANS payload is too short for its states or its exceptions"
    )
