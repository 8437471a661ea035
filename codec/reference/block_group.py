"""A whole block group (docs/format.md, "Block group")."""

import numpy as np
import numpy.typing as npt

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.reference.rans import decode_payload
from weightzip.codec.reference.recipe import read_recipe
from weightzip.codec.reference.tables import PlaneTables, read_planes
from weightzip.codec.reference.transforms import invert_transform, join_planes
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData

_RAW, _CONSTANT, _RANS = 0, 1, 2
_ALIGNMENT = 16


def decode_block_group(
    group: BytesLike, predecessor: BytesLike | None, raw_bytes: int, place: str = "block group"
) -> bytes:
    """Return the raw_bytes that a block group restores.

    Raises:
        CorruptData: the group contradicts the document.
    """
    cursor = Cursor(group, place)
    head, source = read_recipe(cursor, place)
    cursor.expect(raw_bytes % head.element_bytes == 0, "raw_bytes is no multiple of the element size")
    cursor.expect(
        head.needs_predecessor == (predecessor is not None), "recipe and pieces do not fit together"
    )
    n_elements = raw_bytes // head.element_bytes
    n_planes = head.element_bytes
    planes = read_planes(cursor, n_planes, head.n_contexts)
    p = None if predecessor is None else np.frombuffer(predecessor, dtype=f"<u{head.element_bytes}")
    contexts = np.zeros(n_elements, dtype=np.int64)
    if source is not None and p is not None:
        contexts = source.find_contexts(p)

    n_blocks = -(-n_elements // head.block_elements)
    entries = cursor.column("<u4", n_blocks * n_planes, "block table").reshape(n_blocks, n_planes)
    area = _PayloadArea(cursor)
    blocks = [
        join_planes(
            [
                _read_plane(area, int(entry), plane, contexts[begin : begin + head.block_elements])
                for entry, plane in zip(entries[block], planes, strict=True)
            ]
        )
        for block, begin in enumerate(range(0, n_elements, head.block_elements))
    ]
    cursor.finish("the payload area")
    return invert_transform(head.transform, np.concatenate(blocks), p).tobytes()


class _PayloadArea:
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


def _read_plane(
    area: _PayloadArea, entry: int, plane: PlaneTables, contexts: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint8]:
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
