"""Tensors that were cut differently: `name[start]` and `name[o0,o1]` are parts of `name`, and meet where elements do.

Names alone tell: a checkpoint of another number of ranks cuts the same tensors elsewhere. Nothing wrong can come of a
name that misleads, only a prediction that is no good.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import NamedTuple

from weightzip.codec.cutting.place import Part, ScatteredPlace
from weightzip.codec.format.data_frame import Piece
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange

_FRAGMENT = re.compile(r"(?P<name>.+)\[(?P<offsets>\d{1,18}(?:,\d{1,18}){0,63})\]", re.DOTALL)
# Of a tensor in more parts than this the first are enough.
_MAX_LOOKED_AT = 1024


class Extent(NamedTuple):
    """Elements [begin, end) of a tensor, in rows of `row` elements; 0 if it is flat and rows are unknown.

    `others` are the offsets in the dimensions after the first, if any is not 0.
    """

    name: str
    others: tuple[int, ...]
    row: int
    begin: int
    end: int


def find_extent(tensor: TensorRange) -> Extent:
    """Return what part of which tensor this is, as far as its name and shape tell."""
    match = _FRAGMENT.fullmatch(tensor.name)
    name, offsets = (match["name"], match["offsets"].split(",")) if match else (tensor.name, ["0"])
    first, *others = map(int, offsets)
    row = prod(tensor.shape[1:]) if len(tensor.shape) > 1 else 0
    begin = first * row if others else first
    return Extent(name, tuple(others) if any(others) else (), row, begin, begin + prod(tensor.shape))


@dataclass(frozen=True)
class _Candidate:
    reference: int
    tensor: TensorRange
    extent: Extent


class _Candidates:
    """The fragments of one tensor, of one dtype: those that reach into a range are found without a look at the others."""

    def __init__(self) -> None:
        self._added: list[_Candidate] = []

    def add(self, one: _Candidate) -> None:
        """Add one; all are added before the first is looked for."""
        self._added.append(one)

    def list_from(self, begin: int) -> Sequence[_Candidate]:
        """Return the first of those that may reach beyond an element, in the order of their beginnings."""
        first = bisect_right(self._reached, begin)
        return self._ordered[first : first + _MAX_LOOKED_AT]

    @cached_property
    def _ordered(self) -> list[_Candidate]:
        return sorted(self._added, key=lambda one: one.extent.begin)

    @cached_property
    def _reached(self) -> list[int]:
        """Return how far each and those before it reach."""
        return list(accumulate((one.extent.end for one in self._ordered), max))


class FragmentIndex:
    """Fragments in files to lean on, by the names of what they are parts of."""

    def __init__(self, simplify: Callable[[str], str] = str) -> None:
        """Take what makes names alike that mean the same tensor."""
        self._simplify = simplify
        self._candidates: defaultdict[tuple[str, tuple[int, ...], DType], _Candidates] = defaultdict(
            _Candidates
        )

    def add_file(self, reference: int, tensors: Iterable[TensorRange]) -> None:
        """Add the tensors of a file."""
        for tensor in tensors:
            if tensor.dtype != DType.OPAQUE and tensor.dtype.bits >= 8:
                extent = find_extent(tensor)
                key = self._simplify(extent.name), extent.others, tensor.dtype
                self._candidates[key].add(_Candidate(reference, tensor, extent))

    def gather(self, tensor: TensorRange, dtype: DType) -> ScatteredPlace | None:
        """Return where fragments of that dtype hold elements of a tensor, None if there are none."""
        if not self._candidates:  # spares looking at names
            return None
        mine = find_extent(tensor)
        found = self._candidates.get((self._simplify(mine.name), mine.others, dtype))
        if found is None:
            return None
        item_bytes, position, parts = dtype.element_bytes, mine.begin, list[Part]()
        for one in found.list_from(mine.begin):
            begin, end = max(position, one.extent.begin), min(mine.end, one.extent.end)
            if one.extent.begin >= mine.end:
                break
            if begin < end and (one.extent.row == mine.row or 0 in {one.extent.row, mine.row}):
                offset = one.tensor.offset + (begin - one.extent.begin) * item_bytes
                piece = Piece(offset, (end - begin) * item_bytes, one.reference)
                parts.append(Part((begin - mine.begin) * item_bytes, piece))
                position = end
        return ScatteredPlace((mine.end - mine.begin) * item_bytes, tuple(parts)) if parts else None
