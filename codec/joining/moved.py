"""Tensors that moved from one file of a checkpoint to another since the predecessor was saved."""

from collections.abc import Callable, Iterable, Sequence

from weightzip.codec.format.layout import TensorRange
from weightzip.codec.joining.earlier_tensors import EarlierTensors
from weightzip.codec.predecessor import Predecessor

# What the file of the same path lacks is looked for elsewhere if it is more than this part of the shard.
_WORTH_A_SEARCH = 64

FindMoved = Callable[[Sequence[TensorRange]], Sequence[Predecessor]]
"""Returns files of the predecessor that hold any of these tensors; it is asked once, if at all."""


def find_nothing(lacking: Sequence[TensorRange]) -> Sequence[Predecessor]:
    """Stand in where the predecessor has one file, or none."""
    return ()


def list_earlier_files(
    tensors: Sequence[TensorRange], predecessor: Predecessor | None, find_moved: FindMoved
) -> Sequence[Predecessor]:
    """Return the files of the predecessor that a shard may lean on: the one of the same path first, if there is one.

    Where most tensors are in that one, no other is looked for. Without one, that which holds most comes first: glue is
    like that of its neighbours.
    """
    files = [predecessor] if predecessor is not None else []
    known = EarlierTensors(dict(enumerate(file.tensors for file in files)))
    lacking = [tensor for tensor in tensors if known.count_bytes(tensor) < tensor.n_bytes]
    if _sum_bytes(lacking) * _WORTH_A_SEARCH <= _sum_bytes(tensors):
        return files
    found_bytes = [(_count_bytes(lacking, file), file) for file in find_moved(lacking)]
    ranked = sorted(found_bytes, key=lambda found: -found[0])
    return [*files, *(file for n_bytes, file in ranked if n_bytes)]


def _count_bytes(lacking: Iterable[TensorRange], file: Predecessor) -> int:
    held = EarlierTensors({0: file.tensors})
    return sum(map(held.count_bytes, lacking))


def _sum_bytes(tensors: Iterable[TensorRange]) -> int:
    return sum(tensor.n_bytes for tensor in tensors)
