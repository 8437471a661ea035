"""Flat partitions of DeepSpeed's ZeRO 3: every parameter is padded and cut by itself, and each rank has a part of it.

No mapping says which elements are whose: the parts follow one another in the order of `param_shapes`, across all
groups. Where their sizes do not sum up to what is there, nothing is named.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from math import prod

from weightzip.codec.containers.naming.fragment import Fragment, cut_fragment
from weightzip.codec.containers.naming.zero_files import ZeroFiles
from weightzip.codec.containers.pickles import PickleFacts
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.format.limits import MAX_TENSORS

_MASTER = re.compile(r"optimizer_state_dict\.fp32_flat_groups\.(?P<group>\d{1,6})")
_STATE = re.compile(r"optimizer_state_dict\.optimizer_state_dict\.state\.(?P<group>\d{1,6})\.(?P<slot>\w+)")
_N_PARTS = "optimizer_state_dict.partition_count"
_MASTER_SLOT = "fp32"


def cut_zero_three(
    tensors: Sequence[TensorRange], facts: PickleFacts, files: ZeroFiles
) -> tuple[TensorRange, ...]:
    """Return the tensors with `<slot>.<parameter>` for each part of flat ones, such as `exp_avg.<parameter>`."""
    flats = _group_flats(tensors)
    n_parts = max(facts.numbers.get(_N_PARTS, ()), default=0)
    if _MASTER_SLOT not in flats or not n_parts or files.rank is None:
        return tuple(tensors)
    fragments = list(_list_parts(files, n_parts))
    n_elements = sum(fragment.n_elements for fragment in fragments)
    fitting = {
        slot: groups for slot, groups in flats.items() if sum(flat.shape[0] for flat in groups) == n_elements
    }
    if len(fitting) * len(fragments) > MAX_TENSORS:
        return tuple(tensors)
    cut: dict[TensorRange, list[TensorRange]] = {}
    for slot, groups in fitting.items():
        cut |= _cut_groups(slot, groups, fragments)
    return tuple(claim for tensor in tensors for claim in cut.get(tensor, [tensor]))


def _group_flats(tensors: Sequence[TensorRange]) -> dict[str, list[TensorRange]]:
    """Return the flat tensors of each slot in the order of their groups."""
    numbered: dict[str, dict[int, TensorRange]] = {}
    for tensor in tensors:
        match = _MASTER.fullmatch(tensor.name) or _STATE.fullmatch(tensor.name)
        if match and len(tensor.shape) == 1 and tensor.dtype != DType.OPAQUE:
            slot = match.groupdict().get("slot") or _MASTER_SLOT
            numbered.setdefault(slot, {})[int(match["group"])] = tensor
    return {slot: [groups[number] for number in sorted(groups)] for slot, groups in numbered.items()}


def _list_parts(files: ZeroFiles, n_parts: int) -> Iterator[Fragment]:
    """Yield what this rank has of each parameter, as if its groups were one flat tensor."""
    position, rank = 0, files.rank or 0
    for param in files.read_shapes(of_rank=True):
        n_elements = -(-prod(param.shape) // n_parts)
        yield Fragment(param.name, position, n_elements, rank * n_elements, param.shape)
        position += n_elements


def _cut_groups(
    slot: str, groups: Sequence[TensorRange], fragments: Sequence[Fragment]
) -> dict[TensorRange, list[TensorRange]]:
    """Return the claims on the fragments that lie in each group; one that straddles two is cut there."""
    cut: dict[TensorRange, list[TensorRange]] = {}
    waiting = deque(fragments)
    begin = 0
    for flat in groups:
        end, cut[flat] = begin + flat.shape[0], []
        while waiting and waiting[0].position < end:
            here, rest = waiting.popleft().cut_at(end)
            claim = cut_fragment(flat, slot, here.move(-begin))
            cut[flat] += [claim] if claim is not None else []
            if rest.n_elements:
                waiting.appendleft(rest)
        begin = end
    return cut
