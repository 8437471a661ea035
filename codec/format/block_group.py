"""The front of a block group (docs/format.md, "Recipe"): what the archive level needs to know of it.

Everything after it (tables, block table, payloads) is the business of the block decoders.
"""

from dataclasses import dataclass
from enum import IntEnum

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import MAX_CONTEXTS
from weightzip.codec.source import BytesLike


class Transform(IntEnum):
    """What is coded instead of the element itself."""

    IDENTITY = 0
    ROTATE = 1
    FLOAT_DIFFERENCE = 2
    INTEGER_DIFFERENCE = 3


@dataclass(frozen=True)
class RecipeHead:
    """The first four fields of a block group."""

    element_bytes: int
    transform: Transform
    block_elements: int
    n_contexts: int

    @property
    def needs_predecessor(self) -> bool:
        """Return whether the group cannot be decoded without predecessor bytes."""
        return self.transform >= Transform.FLOAT_DIFFERENCE or self.n_contexts > 1


def decode_recipe_head(group: BytesLike, place: str) -> RecipeHead:
    """Return the first fields of a block group."""
    cursor = Cursor(group, place)
    element_log2 = cursor.u8("element_log2")
    cursor.expect(element_log2 <= 3, f"element_log2 {element_log2} is out of range")
    transform = cursor.u8("transform")
    cursor.expect(transform <= Transform.INTEGER_DIFFERENCE, f"transform {transform} is reserved")
    block_log2 = cursor.u8("block_log2")
    cursor.expect(10 <= block_log2 <= 16, f"block_log2 {block_log2} is out of range")
    n_contexts = cursor.u8("n_contexts")
    cursor.expect(1 <= n_contexts <= MAX_CONTEXTS, f"n_contexts {n_contexts} is out of range")
    return RecipeHead(1 << element_log2, Transform(transform), 1 << block_log2, n_contexts)
