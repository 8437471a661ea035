"""One plane of one block: where its payload stands and what it holds (docs/format.md, "Block table")."""

import numpy as np
import numpy.typing as npt

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.reference.elements import Numbers
from weightzip.codec.reference.rans import decode_payload
from weightzip.codec.reference.tables import PlaneTables
from weightzip.errors import CorruptData

_RAW, _CONSTANT, _RANS = 0, 1, 2
_ALIGNMENT = 16


class PayloadArea:
    """Payloads one after another, each at a multiple of 16 from the start of the area."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self._begin = cursor.position

    def take(self, n_bytes: int) -> memoryview:
        """Return the next payload."""
        if n_bytes == 0:
            return memoryview(b"")
        n_padding = -(self.cursor.position - self._begin) % _ALIGNMENT
        padding = self.cursor.take(n_padding, "padding")
        self.cursor.expect(not any(padding), "padding between payloads is set")
        return self.cursor.take(n_bytes, "payload")


def read_plane(area: PayloadArea, entry: int, plane: PlaneTables, contexts: Numbers) -> npt.NDArray[np.uint8]:
    """Return the plane's byte of every element of a block. `contexts` names the context of each."""
    storage, value, n_elements = entry >> 24, entry & 0xFFFFFF, len(contexts)
    place = area.cursor.place
    if storage == _RAW:
        area.cursor.expect(value == n_elements, "a raw plane has a wrong size")
        return np.frombuffer(area.take(value), dtype=np.uint8)
    if storage == _CONSTANT:
        area.cursor.expect(value < 256, "a constant is no byte")
        return np.full(n_elements, value, dtype=np.uint8)
    if storage != _RANS or not plane.tables:
        raise CorruptData(f"{place}: plane storage {storage} is not allowed")
    if len(plane.tables) == 1:
        contexts = np.zeros_like(contexts)
    return decode_payload(Cursor(area.take(value), place), plane, contexts)
