"""Decides what each tensor of a shard may lean on: in its predecessor, in files beside it, in the shard itself.

Names and shapes propose; where bytes should agree, some KB of them must, before anything is believed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from weightzip.codec.cutting.place import AnyPlace, Place
from weightzip.codec.cutting.segments import MAX_PACKED_ALONE_BYTES, TensorInputs
from weightzip.codec.cutting.windows import Window, plan_windows
from weightzip.codec.derivation import DERIVED_BYTES
from weightzip.codec.format.checksum import compute_checksum
from weightzip.codec.format.data_frame import OWN
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import Layout, TensorRange
from weightzip.codec.joining.companions import (
    find_second_moment,
    have_same_form,
    index_by_parameter,
    is_average,
    is_second_moment,
    may_be_master,
    strip_average,
    strip_wrappers,
)
from weightzip.codec.joining.earlier_tensors import EarlierTensors
from weightzip.codec.joining.fragments import FragmentIndex
from weightzip.codec.joining.probe import (
    MAX_NEAR,
    File,
    have_equal_ends,
    is_constant,
    measure_distance,
    read_ends,
    seem_derived_parts,
    seems_derived,
)
from weightzip.codec.source import ByteSource

# What a file beside must tell, in bytes of the shard or as a part of it.
_WORTH_A_FILE_BYTES = 1 << 20
_WORTH_A_FILE = 64


def pair_tensors(
    source: ByteSource, layout: Layout, earlier: Sequence[File], beside: Sequence[File]
) -> dict[str, TensorInputs]:
    """Return what the tensors of a shard may lean on, by name; what leans on nothing is not in it.

    `earlier` are files of the predecessor, the first to look in first, `beside` those that were saved with the shard.

    Bytes of the shard itself that something leans on lie in tensors that lean on none of it themselves.
    """
    tensors = {tensor.name: tensor for tensor in layout.tensors if tensor.n_bytes > 0}
    pairs = _Pairs(File(OWN, source, tensors))
    for file in beside:
        pairs.add_related(file)
    pairs.add_own_copies()
    pairs.add_own_masters()
    pairs.add_scattered_masters(beside)
    pairs.add_moments()
    for file in beside:
        pairs.add_related_moments(file)
    pairs.drop_lonely(plan_windows(layout))
    known = EarlierTensors({file.reference: file.tensors for file in earlier})
    predecessors = {name: known.find(tensor) for name, tensor in tensors.items()}
    predecessors |= pairs.find_averages(predecessors, {file.reference: file for file in earlier})
    paired = {}
    for name in tensors:
        inputs = TensorInputs(
            predecessors[name],
            pairs.companions.get(name),
            pairs.copies.get(name),
            is_second_moment=name in pairs.second_moments,
        )
        if inputs != TensorInputs():
            paired[name] = inputs
    return paired


class _Pairs:
    """What was found so far. The better finds come first: a tensor that has one is not looked at again."""

    def __init__(self, own: File) -> None:
        self._own = own
        self._n_bytes = sum(tensor.n_bytes for tensor in own.tensors.values())
        self.copies: dict[str, Place] = {}
        self.companions: dict[str, AnyPlace] = {}
        self.second_moments: set[str] = set()
        self._first_moments: set[str] = set()
        # Of the shard itself: who leans, and on whom. No name is in both.
        self._leaning: set[str] = set()
        self._targets: set[str] = set()

    def add_related(self, file: File) -> None:
        """Look in a file beside the shard for copies of its tensors, and for what they are derived from."""
        copies: dict[str, Place] = {}
        masters: dict[str, Place] = {}
        by_parameter = index_by_parameter(file.tensors.values())
        for tensor in self._list_open():
            for other in by_parameter.get(strip_wrappers(tensor.name), []):
                if have_same_form(tensor, other) and have_equal_ends(self._own, tensor, file, other):
                    copies[tensor.name] = Place(file.reference, other)
                    break
                if may_be_master(tensor, other) and seems_derived(self._own, tensor, file, other):
                    masters[tensor.name] = Place(file.reference, other)
                    break
        if self._are_worth_a_file([*copies, *masters]):
            self.copies |= copies
            self.companions |= masters

    def add_related_moments(self, file: File) -> None:
        """Pair first moments with second ones that lie in a file beside the shard."""
        found = {
            tensor.name: Place(file.reference, other)
            for tensor in self._list_open()
            if (other := find_second_moment(tensor, file.tensors)) is not None
        }
        if self._are_worth_a_file(found):
            self.companions |= found
            self._first_moments |= found.keys()

    def add_own_copies(self) -> None:
        """Look for tensors that are stored twice, such as tied ones. Small ones share frames: not worth it."""
        seen: dict[tuple[object, ...], TensorRange] = {}
        large = [tensor for tensor in self._list_open() if tensor.n_bytes > MAX_PACKED_ALONE_BYTES]
        n_alike = Counter((tensor.dtype, tensor.shape) for tensor in large)
        for tensor in large:
            if n_alike[tensor.dtype, tensor.shape] == 1:
                continue
            ends = read_ends(self._own, tensor)
            if not is_constant(ends):
                key = (tensor.dtype, tensor.shape, compute_checksum(ends))
                first = seen.setdefault(key, tensor)
                if first is not tensor:
                    self.copies[tensor.name] = self._lean(tensor, first)

    def add_own_masters(self) -> None:
        """Look for tensors of 2 bytes an element that are derived from others of the shard."""
        by_parameter = index_by_parameter(self._own.tensors.values())
        for tensor in self._list_open():
            for other in by_parameter[strip_wrappers(tensor.name)]:
                if (
                    may_be_master(tensor, other)
                    and self._may_lean(tensor, other)
                    and seems_derived(self._own, tensor, self._own, other)
                ):
                    self.companions[tensor.name] = self._lean(tensor, other)
                    break

    def add_scattered_masters(self, files: Sequence[File]) -> None:
        """Look for what tensors are derived from where that was cut into fragments, which lie in any files beside."""
        narrow = [tensor for tensor in self._list_open() if tensor.dtype.bits == 8 * DERIVED_BYTES]
        fragments = FragmentIndex(strip_wrappers)
        for file in files if narrow else ():
            fragments.add_file(file.reference, file.tensors.values())
        sources = {file.reference: file.source for file in files}
        found = {}
        for tensor in narrow:
            place = fragments.gather(tensor, DType.F32)
            if place is not None and seem_derived_parts(self._own, tensor, place, sources):
                found[tensor.name] = place
        if self._are_worth_a_file(found):
            self.companions |= found

    def add_moments(self) -> None:
        """Pair first moments with second ones, which tell how large they are."""
        for tensor in self._own.tensors.values():
            if is_second_moment(tensor):
                self.second_moments.add(tensor.name)
            other = find_second_moment(tensor, self._own.tensors)
            if other is None:
                continue
            self.second_moments.add(other.name)
            is_open = tensor.name not in self.copies and tensor.name not in self.companions
            if is_open and self._may_lean(tensor, other):
                self.companions[tensor.name] = self._lean(tensor, other)
                self._first_moments.add(tensor.name)

    def find_averages(
        self, predecessors: Mapping[str, AnyPlace | None], earlier: Mapping[int, File]
    ) -> dict[str, AnyPlace]:
        """Return the weights of the same step for averages of weights that are nearer to them than to their predecessors."""
        averages = [tensor for tensor in self._list_open() if is_average(tensor)]
        by_parameter = index_by_parameter(self._own.tensors.values()) if averages else {}
        found: dict[str, AnyPlace] = {}
        for tensor in averages:
            place = predecessors[tensor.name]
            nearest = MAX_NEAR[tensor.dtype]
            if isinstance(place, Place):
                file = earlier[place.reference]
                nearest = min(nearest, measure_distance(self._own, tensor, file, place.tensor))
            for other in by_parameter.get(strip_average(tensor.name), []):
                if (
                    have_same_form(tensor, other)
                    and self._may_lean(tensor, other)
                    and measure_distance(self._own, tensor, self._own, other) < nearest
                ):
                    found[tensor.name] = self._lean(tensor, other)
                    break
        return found

    def drop_lonely(self, windows: Sequence[Window]) -> None:
        """Forget moments that a small tensor's neighbours are not: a frame of its own would cost more than it saves."""
        for name in self._first_moments - self._find_companies(self._first_moments, windows):
            del self.companions[name]
        self.second_moments = self._find_companies(self.second_moments, windows)

    def _are_worth_a_file(self, names: Iterable[str]) -> bool:
        """Return whether what these tensors save may be worth another file that restoring needs.

        No other file could lean on this one any more.
        """
        n_bytes = sum(self._own.tensors[name].n_bytes for name in names)
        return n_bytes >= min(_WORTH_A_FILE_BYTES, self._n_bytes // _WORTH_A_FILE)

    def _list_open(self) -> list[TensorRange]:
        return [
            tensor
            for name, tensor in self._own.tensors.items()
            if name not in self.copies and name not in self.companions
        ]

    def _find_companies(self, names: set[str], windows: Sequence[Window]) -> set[str]:
        """Return those of the names whose tensor is large, or may share a frame with another of them."""
        kept = {name for name in names if self._own.tensors[name].n_bytes > MAX_PACKED_ALONE_BYTES}
        others = names - kept
        for window in windows:
            if window.is_arranged:
                small = [tensor for tensor in window.tensors if tensor.name in others]
                n_alike = Counter(tensor.dtype for tensor in small)
                kept |= {tensor.name for tensor in small if n_alike[tensor.dtype] > 1}
                continue
            for first, second in pairwise(window.tensors):
                if first.name in names and second.name in names and first.dtype == second.dtype:
                    kept |= {first.name, second.name}
        return kept

    def _may_lean(self, tensor: TensorRange, other: TensorRange) -> bool:
        return tensor.name not in self._targets and other.name not in self._leaning

    def _lean(self, tensor: TensorRange, other: TensorRange) -> Place:
        self._leaning.add(tensor.name)
        self._targets.add(other.name)
        return Place(OWN, other)
