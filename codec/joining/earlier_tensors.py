"""The tensors of files of the predecessor, found by name: whole, or in the fragments that they were cut into there."""

from collections.abc import Mapping
from functools import cached_property

from weightzip.codec.cutting.place import AnyPlace, Place
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.joining.companions import have_same_form
from weightzip.codec.joining.fragments import FragmentIndex

Tensors = Mapping[str, TensorRange]


class EarlierTensors:
    """Tensors by name in files by reference. Of several files with one name the first counts."""

    def __init__(self, files: Mapping[int, Tensors]) -> None:
        self._files = files

    @property
    def n_tensors(self) -> int:
        """Return how many there are in all files."""
        return sum(map(len, self._files.values()))

    def find(self, tensor: TensorRange) -> AnyPlace | None:
        """Return where the tensor of the same name, dtype and shape lay, or else what is known of its elements."""
        for reference, tensors in self._files.items():
            match = tensors.get(tensor.name)
            if match is not None and have_same_form(tensor, match):
                return Place(reference, match)
        return self._fragments.gather(tensor, tensor.dtype)

    def count_bytes(self, tensor: TensorRange) -> int:
        """Return of how many bytes of a tensor it is known where they lay."""
        place = self.find(tensor)
        return place.known_bytes if place is not None else 0

    @cached_property
    def _fragments(self) -> FragmentIndex:
        fragments = FragmentIndex()
        for reference, tensors in self._files.items():
            fragments.add_file(reference, tensors.values())
        return fragments
