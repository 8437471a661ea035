"""The front of a block group (docs/format.md, "Recipe"): what the archive level needs to know of it.

Everything else (contexts, factors, tables, block table, payloads) is the business of the block decoders.
"""

from dataclasses import dataclass
from enum import IntEnum

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import MAX_CONTEXTS
from weightzip.codec.source import BytesLike

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


# max() of an enumeration asks every member, and a head is decoded for every frame.
_LAST_TRANSFORM = max(Transform)
_LAST_PREDICTOR = max(Predictor)
_LAST_CONTEXT_INPUT = max(ContextInput)


@dataclass(frozen=True)
class RecipeHead:
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
    element_log2 = _decode_choice(cursor, "element_log2", 3)
    transform = Transform(_decode_choice(cursor, "transform", _LAST_TRANSFORM))
    block_log2 = cursor.u8("block_log2")
    cursor.expect(10 <= block_log2 <= 16, f"block_log2 {block_log2} is out of range")
    n_contexts = cursor.u8("n_contexts")
    cursor.expect(1 <= n_contexts <= MAX_CONTEXTS, f"n_contexts {n_contexts} is out of range")
    predictor = Predictor(_decode_choice(cursor, "predictor", _LAST_PREDICTOR))
    context_input = ContextInput(_decode_choice(cursor, "context_input", _LAST_CONTEXT_INPUT))
    companion_log2 = _decode_choice(cursor, "companion_log2", 3)
    _check_choices(cursor, transform, n_contexts, predictor, context_input, companion_log2)
    weight = 0
    if n_contexts > 1:
        _skip_context_runs(cursor)
    if predictor == Predictor.FACTORS or context_input == ContextInput.SCALE:
        cursor.u8("mantissa_bits")
        weight = _decode_weight(cursor, predictor)
    return RecipeHead(
        element_bytes=1 << element_log2,
        transform=transform,
        block_elements=1 << block_log2,
        n_contexts=n_contexts,
        predictor=predictor,
        context_input=context_input,
        companion_bytes=1 << companion_log2 if context_input == ContextInput.COMPANION else 0,
        needs_predecessor=predictor == Predictor.PREDECESSOR
        or context_input == ContextInput.PREDECESSOR
        or weight > 0,
    )


def _decode_choice(cursor: Cursor, field: str, largest: int) -> int:
    value = cursor.u8(field)
    cursor.expect(value <= largest, f"{field} {value} is out of range")
    return value


def _decode_weight(cursor: Cursor, predictor: Predictor) -> int:
    weight = cursor.u8("weight")
    is_share = weight <= _MAX_WEIGHT
    takes_exponent = weight == _MINUS_EXPONENT and predictor == Predictor.PREDECESSOR
    cursor.expect(is_share or takes_exponent, f"weight {weight} is out of range")
    return weight


def _check_choices(
    cursor: Cursor,
    transform: Transform,
    n_contexts: int,
    predictor: Predictor,
    context_input: ContextInput,
    companion_log2: int,
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
