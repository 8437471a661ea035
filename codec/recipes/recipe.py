"""A recipe: what the block encoder is told. Only the encoder's side; the decoder reads the recipe from the frame."""

from dataclasses import dataclass
from typing import NamedTuple

from weightzip.codec.format.block_group import ContextInput, Predictor, Transform
from weightzip.codec.recipes.level import Level


class Section(NamedTuple):
    """Elements of a frame that lie in one tensor: rows of `n_columns`, of which the first begins at `first_column`.

    Without rows and columns, n_columns is 0.
    """

    n_elements: int
    n_columns: int
    first_column: int


@dataclass(frozen=True)
class Recipe:
    """How the elements of a frame are coded.

    With max_contexts > 1 the magnitude of the context input's element, shifted right by key_shift, picks the table.
    A companion's elements have companion_bytes. Factors (predictor FACTORS, or contexts by SCALE) need mantissa_bits
    and sections. With max_low_contexts, planes below the top one may have contexts by its bytes.
    """

    element_bytes: int
    transform: Transform
    max_contexts: int = 1
    key_shift: int = 0
    predictor: Predictor = Predictor.NONE
    context_input: ContextInput = ContextInput.NONE
    companion_bytes: int = 0
    mantissa_bits: int = 0
    sections: tuple[Section, ...] = ()
    max_low_contexts: int = 0
    # Whether this only sharpens the recipe before it in a list: worth a try only if that one is the best so far.
    refines: bool = False
    # The lowest level at which it is tried.
    level: Level = Level.FAST

    @property
    def takes_predecessor(self) -> bool:
        """Return whether the encoder makes use of predecessor bytes; it can do without them for FACTORS alone."""
        return self.predictor != Predictor.NONE or self.context_input == ContextInput.PREDECESSOR

    @property
    def needs_companion(self) -> bool:
        """Return whether the encoder must be given companion bytes."""
        return self.context_input == ContextInput.COMPANION
