"""The front of a block group (docs/format.md, "Recipe"): what the archive level needs to know of it.

Everything else (contexts, factors, tables, block table, payloads) is the business of the block decoders.
"""

from enum import IntEnum
from struct import Struct
from typing import NamedTuple

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import MAX_CONTEXTS
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData

_MAX_WEIGHT = 16
_MINUS_EXPONENT = 255


class Transform(IntEnum):
    """What is coded instead of the element itself."""

    IDENTITY = 0
    ROTATE = 1
    FLOAT_DIFFERENCE = 2
    INTEGER_DIFFERENCE = 3


class Predictor(IntEnum):
    """Where the predicted element comes from, that differences are taken to."""

    NONE = 0
    PREDECESSOR = 1
    FACTORS = 2


class ContextInput(IntEnum):
    """Whose element picks the table."""

    NONE = 0
    PREDECESSOR = 1
    COMPANION = 2
    SCALE = 3


# What every recipe begins with, a byte each: the field, and the least and the greatest value of it.
_RANGES = (
    ("element_log2", 0, 3),
    ("transform", 0, int(max(Transform))),
    ("block_log2", 10, 16),
    ("n_contexts", 1, MAX_CONTEXTS),
    ("predictor", 0, int(max(Predictor))),
    ("context_input", 0, int(max(ContextInput))),
    ("companion_log2", 0, 3),
)
_FIXED = Struct(f"<{len(_RANGES)}B")


class RecipeHead(NamedTuple):
    """What a recipe says of elements and inputs. `companion_bytes` is the companion's element size, 0 without one."""

    element_bytes: int
    transform: Transform
    block_elements: int
    n_contexts: int
    predictor: Predictor
    context_input: ContextInput
    companion_bytes: int
    needs_predecessor: bool

    @property
    def needs_companion(self) -> bool:
        """Return whether the group cannot be decoded without companion bytes."""
        return self.context_input == ContextInput.COMPANION


def decode_recipe_head(group: BytesLike, place: str) -> RecipeHead:
    """Return the head of a block group's recipe."""
    cursor = Cursor(group, place)
    fixed = cursor.unpack(_FIXED, "its recipe")
    for (field, first, last), value in zip(_RANGES, fixed, strict=True):
        if not first <= value <= last:
            raise CorruptData(f"{place}: {field} {value} is out of range")
    element_log2, transform, block_log2, n_contexts, predictor, context_input, companion_log2 = fixed
    _check_choices(cursor, transform, n_contexts, predictor, context_input, companion_log2)
    weight = 0
    if n_contexts > 1:
        _skip_context_runs(cursor)
    if predictor == Predictor.FACTORS or context_input == ContextInput.SCALE:
        cursor.u8("mantissa_bits")
        weight = _decode_weight(cursor, predictor)
    return RecipeHead(
        element_bytes=1 << element_log2,
        transform=Transform(transform),
        block_elements=1 << block_log2,
        n_contexts=n_contexts,
        predictor=Predictor(predictor),
        context_input=ContextInput(context_input),
        companion_bytes=1 << companion_log2 if context_input == ContextInput.COMPANION else 0,
        needs_predecessor=predictor == Predictor.PREDECESSOR
        or context_input == ContextInput.PREDECESSOR
        or weight > 0,
    )


def _decode_weight(cursor: Cursor, predictor: int) -> int:
    weight = cursor.u8("weight")
    is_share = weight <= _MAX_WEIGHT
    takes_exponent = weight == _MINUS_EXPONENT and predictor == Predictor.PREDECESSOR
    cursor.expect(is_share or takes_exponent, f"weight {weight} is out of range")
    return weight


def _check_choices(
    cursor: Cursor, transform: int, n_contexts: int, predictor: int, context_input: int, companion_log2: int
) -> None:
    cursor.expect(
        (transform >= Transform.FLOAT_DIFFERENCE) == (predictor != Predictor.NONE),
        "transform and predictor do not fit each other",
    )
    cursor.expect(
        (n_contexts > 1) == (context_input != ContextInput.NONE),
        "n_contexts and context_input do not fit each other",
    )
    cursor.expect(
        companion_log2 == 0 or context_input == ContextInput.COMPANION, "companion_log2 without a companion"
    )


def _skip_context_runs(cursor: Cursor) -> None:
    cursor.take(1 + 4, "key_shift and key_base")
    n_runs = cursor.u8("n_runs") + 1
    cursor.take(2 * n_runs, "runs")
