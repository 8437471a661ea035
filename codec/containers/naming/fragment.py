"""A part of a parameter's elements, as it lies in a flat tensor: its name and its shape."""

from dataclasses import dataclass, replace
from math import prod

from weightzip.codec.containers.claim import make_claim
from weightzip.codec.containers.fragment_names import name_fragment
from weightzip.codec.format.layout import TensorRange


@dataclass(frozen=True)
class Fragment:
    """`n_elements` of a parameter, at `position` of a flat tensor.

    `start` is the first of them within the parameter and `shape` that of the whole parameter; None if unknown.
    """

    name: str
    position: int
    n_elements: int
    start: int | None = None
    shape: tuple[int, ...] | None = None

    @property
    def is_whole(self) -> bool:
        """Return whether it is known to be all of the parameter."""
        return self.shape is not None and prod(self.shape) == self.n_elements

    @property
    def full_name(self) -> str:
        """Return the name of the parameter, with the place of the first element where that is not all of it."""
        return self.name if self.is_whole or self.start is None else name_fragment(self.name, [self.start])

    @property
    def own_shape(self) -> tuple[int, ...]:
        """Return the parameter's shape for all of it, as many rows as there are where they are whole, else one row."""
        if self.shape is None or self.n_elements == 0:
            return (self.n_elements,)
        if self.is_whole:
            return self.shape
        row = prod(self.shape[1:])
        if self.start is None or row < 2 or self.start % row or self.n_elements % row:
            return (self.n_elements,)
        return (self.n_elements // row, *self.shape[1:])

    def cut_at(self, position: int) -> tuple["Fragment", "Fragment"]:
        """Return what lies before a position of the flat tensor and what lies behind it; the latter may be empty."""
        n_before = min(position - self.position, self.n_elements)
        start = None if self.start is None else self.start + n_before
        before = replace(self, n_elements=n_before)
        behind = replace(
            self, position=self.position + n_before, n_elements=self.n_elements - n_before, start=start
        )
        return before, behind

    def move(self, distance: int) -> "Fragment":
        """Return the same fragment at another position."""
        return replace(self, position=self.position + distance)


def cut_fragment(flat: TensorRange, slot: str, fragment: Fragment) -> TensorRange | None:
    """Return the claim on a fragment of a flat tensor, None if that is too short for it."""
    item_bytes = flat.dtype.element_bytes
    offset, n_bytes = fragment.position * item_bytes, fragment.n_elements * item_bytes
    if fragment.position < 0 or offset + n_bytes > flat.n_bytes:
        return None
    name = f"{slot}.{fragment.full_name}"
    return make_claim(name, flat.dtype, fragment.own_shape, flat.offset + offset, n_bytes)
