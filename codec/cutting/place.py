"""Where a tensor lies, as others may lean on it: in one piece, or scattered over several files."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from weightzip.codec.format.data_frame import Piece
from weightzip.codec.format.layout import TensorRange


@dataclass(frozen=True)
class Place:
    """A tensor in the file of that reference."""

    reference: int
    tensor: TensorRange

    @property
    def n_bytes(self) -> int:
        """Return the size of the whole tensor."""
        return self.tensor.n_bytes

    @property
    def known_bytes(self) -> int:
        """Return of how many of its bytes it is known where they lie: of all."""
        return self.tensor.n_bytes

    @property
    def references(self) -> frozenset[int]:
        """Return the references of all files that it lies in."""
        return frozenset({self.reference})

    def cut(self, begin: int, n_bytes: int) -> tuple[Piece, ...]:
        """Return where n_bytes of it from `begin` lie."""
        return (Piece(self.tensor.offset + begin, n_bytes, self.reference),)


class Part(NamedTuple):
    """A piece that holds bytes of a tensor from `begin`."""

    begin: int
    piece: Piece


@dataclass(frozen=True)
class ScatteredPlace:
    """A tensor whose bytes lie in parts, in order and without overlap; not all of them need be known."""

    n_bytes: int
    parts: tuple[Part, ...]

    @property
    def known_bytes(self) -> int:
        """Return of how many of its bytes it is known where they lie."""
        return sum(part.piece.n_bytes for part in self.parts)

    @property
    def references(self) -> frozenset[int]:
        """Return the references of all files that it lies in."""
        return frozenset(part.piece.reference for part in self.parts)

    def cut(self, begin: int, n_bytes: int) -> tuple[Piece, ...]:
        """Return where n_bytes of it from `begin` lie, nothing if that is not known of all of them."""
        pieces = tuple(self._clip(begin, begin + n_bytes))
        return pieces if sum(piece.n_bytes for piece in pieces) == n_bytes else ()

    def _clip(self, begin: int, end: int) -> Iterator[Piece]:
        for part_begin, piece in self.parts:
            first, last = max(begin, part_begin), min(end, part_begin + piece.n_bytes)
            if first < last:
                yield Piece(piece.offset + first - part_begin, last - first, piece.reference)


AnyPlace = Place | ScatteredPlace
