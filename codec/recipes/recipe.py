"""A recipe: what the block encoder is told. Only the encoder's side; the decoder reads the recipe from the frame."""

from dataclasses import dataclass

from weightzip.codec.format.block_group import Transform


@dataclass(frozen=True)
class Recipe:
    """How the elements of a frame are coded.

    With max_contexts > 1 the magnitude of the predecessor's element, shifted right by key_shift, picks the table.
    """

    element_bytes: int
    transform: Transform
    max_contexts: int = 1
    key_shift: int = 0
    # Whether this only sharpens the recipe before it in a list: worth a try only if that one is the best so far.
    refines: bool = False

    @property
    def needs_predecessor(self) -> bool:
        """Return whether the encoder must be given predecessor bytes."""
        return self.transform >= Transform.FLOAT_DIFFERENCE or self.max_contexts > 1
