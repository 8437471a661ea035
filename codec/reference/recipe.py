"""The recipe at the front of a block group (docs/format.md, "Recipe")."""

from dataclasses import dataclass
from enum import IntEnum

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import MAX_CONTEXTS
from weightzip.codec.reference.context_source import (
    ContextRuns,
    ContextSource,
    read_context_source,
    read_low_contexts,
)
from weightzip.codec.reference.factors import MINUS_EXPONENT, Factors, read_factors


class Transform(IntEnum):
    """What is coded instead of the element."""

    IDENTITY = 0
    ROTATE = 1
    FLOAT_DIFFERENCE = 2
    INTEGER_DIFFERENCE = 3


class Predictor(IntEnum):
    """Where the predicted element comes from."""

    NONE = 0
    PREDECESSOR = 1
    FACTORS = 2


class ContextInput(IntEnum):
    """Whose magnitude picks the table."""

    NONE = 0
    PREDECESSOR = 1
    COMPANION = 2
    SCALE = 3


@dataclass(frozen=True)
class Recipe:
    """All that a block group says before its tables; `companion_bytes` is the size of an element, 0 without one."""

    element_bytes: int
    transform: Transform
    block_elements: int
    n_contexts: int
    predictor: Predictor
    context_input: ContextInput
    companion_bytes: int
    source: ContextSource | None
    factors: Factors | None
    low_contexts: ContextRuns | None
    zero_bits: int

    @property
    def n_low_contexts(self) -> int:
        return 0 if self.low_contexts is None else self.low_contexts.n_contexts

    @property
    def needs_predecessor(self) -> bool:
        return (
            self.predictor == Predictor.PREDECESSOR
            or self.context_input == ContextInput.PREDECESSOR
            or (self.factors is not None and self.factors.weight > 0)
        )


def read_recipe(cursor: Cursor, raw_bytes: int) -> Recipe:
    """Return the recipe at the cursor, of a frame of raw_bytes."""
    element_bytes = 1 << _read_up_to(cursor, 3, "element_log2")
    transform = Transform(_read_up_to(cursor, max(Transform), "transform"))
    block_log2 = cursor.u8("block_log2")
    cursor.expect(10 <= block_log2 <= 16, f"block_log2 {block_log2} is out of range")
    n_contexts = _read_up_to(cursor, MAX_CONTEXTS, "n_contexts")
    cursor.expect(n_contexts > 0, "there is no context")
    predictor = Predictor(_read_up_to(cursor, max(Predictor), "predictor"))
    context_input = ContextInput(_read_up_to(cursor, max(ContextInput), "context_input"))
    companion_log2 = _read_up_to(cursor, 3, "companion_log2")

    is_difference = transform >= Transform.FLOAT_DIFFERENCE
    has_companion = context_input == ContextInput.COMPANION
    has_factors = predictor == Predictor.FACTORS or context_input == ContextInput.SCALE
    cursor.expect(is_difference == (predictor > 0), "transform and predictor do not fit together")
    cursor.expect((n_contexts > 1) == (context_input > 0), "contexts and context_input do not fit together")
    cursor.expect(has_companion or companion_log2 == 0, "companion_log2 without a companion")
    cursor.expect(raw_bytes % element_bytes == 0, "raw_bytes is no multiple of the element size")
    source = read_context_source(cursor, n_contexts) if n_contexts > 1 else None
    factors = read_factors(cursor, element_bytes, raw_bytes // element_bytes) if has_factors else None
    cursor.expect(
        factors is None or factors.weight != MINUS_EXPONENT or predictor == Predictor.PREDECESSOR,
        f"weight {MINUS_EXPONENT} without the predictor {Predictor.PREDECESSOR}",
    )
    low_contexts = read_low_contexts(cursor)
    zero_bits = _read_up_to(cursor, 8 * element_bytes - 1, "zero_bits")
    cursor.expect(zero_bits == 0 or transform != Transform.IDENTITY, "zero_bits without a transform")
    return Recipe(
        element_bytes,
        transform,
        1 << block_log2,
        n_contexts,
        predictor,
        context_input,
        1 << companion_log2 if has_companion else 0,
        source,
        factors,
        low_contexts,
        zero_bits,
    )


def _read_up_to(cursor: Cursor, largest: int, field: str) -> int:
    value = cursor.u8(field)
    cursor.expect(value <= largest, f"{field} {value} is out of range")
    return value
