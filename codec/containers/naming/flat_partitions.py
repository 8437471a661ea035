"""Flat partitions of DeepSpeed's ZeRO 1 and 2: one tensor holds a rank's elements of a whole group of parameters.

`param_slice_mappings` says which elements are whose, in the master weights and in every state of the optimizer alike.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from weightzip.codec.containers.naming.fragment import Fragment, cut_fragment
from weightzip.codec.containers.naming.zero_files import ZeroFiles
from weightzip.codec.containers.pickles import PickleFacts, SliceMapping
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.format.limits import MAX_TENSORS

_MASTER = re.compile(r"single_partition_of_fp32_groups\.(?P<group>\d{1,6})")
_STATE = re.compile(r"base_optimizer_state\.(?:state\.)?(?P<group>\d{1,6})\.(?P<slot>\w+)")
_MASTER_SLOT = "fp32"

# By where they stand, and the number of the group.
_Groups = Mapping[tuple[str, int], Sequence[Fragment]]


def cut_flat_partitions(
    tensors: Sequence[TensorRange], facts: PickleFacts, files: ZeroFiles
) -> tuple[TensorRange, ...]:
    """Return the tensors with `<slot>.<parameter>` for each fragment of flat ones, such as `exp_avg.<parameter>`."""
    if not facts.slice_mappings:
        return tuple(tensors)
    shapes = {shape.name: shape.shape for shape in files.read_shapes(of_rank=False)}
    mappings: dict[tuple[str, int], list[SliceMapping]] = {}
    for mapping in facts.slice_mappings:
        mappings.setdefault((mapping.path, mapping.group), []).append(mapping)
    groups = {key: _place_all(group, shapes) for key, group in mappings.items()}
    named: list[TensorRange] = []
    n_fragments = 0
    for tensor in tensors:
        slot, fragments = _find_fragments(tensor, groups)
        n_fragments += len(fragments)
        if n_fragments > MAX_TENSORS:  # also of those that fit nowhere: looking at them takes time
            return tuple(tensors)
        cut = [cut_fragment(tensor, slot, fragment) for fragment in fragments]
        named += [claim for claim in cut if claim is not None] or [tensor]
    return tuple(named)


def _place_all(group: Sequence[SliceMapping], shapes: Mapping[str, tuple[int, ...]]) -> list[Fragment]:
    """Return the fragments of a group. Parameters are cut only where partitions end: what begins within one is whole or
    the beginning of its parameter, what others follow is whole or the end. Of what fills a partition nothing is known.
    """
    last = max(mapping.start for mapping in group)
    fragments = []
    for mapping in group:
        shape, start = shapes.get(mapping.name), None
        if shape is not None and mapping.n_elements > prod(shape):
            shape = None  # of another model
        if shape is not None and mapping.start > 0:
            start = 0
        elif shape is not None and mapping.start < last:
            start = prod(shape) - mapping.n_elements
        fragments.append(Fragment(mapping.name, mapping.start, mapping.n_elements, start, shape))
    return fragments


def _find_fragments(tensor: TensorRange, groups: _Groups) -> tuple[str, Sequence[Fragment]]:
    """Return what a flat tensor is of the parameters, and the fragments in it; none if it is none."""
    if len(tensor.shape) == 1 and tensor.dtype != DType.OPAQUE:
        for path, group, slot in _list_readings(tensor.name):
            return slot, groups.get((path, group), ())
    return "", ()


def _list_readings(name: str) -> Iterator[tuple[str, int, str]]:
    """Yield where a flat tensor stands, the number of its group, and what it is of the parameters, if it is one."""
    for pattern in (_MASTER, _STATE):
        match = pattern.search(name)
        if match and match.end() == len(name) and name[: match.start()][-1:] in {"", "."}:
            slot = match["slot"] if pattern is _STATE else _MASTER_SLOT
            yield name[: match.start()].rstrip("."), int(match["group"]), slot
