"""Where tensors lay in the predecessor: in its file of the same path, or moved from another of its files. By name alone."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from weightzip.codec.companions import have_same_form
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.predecessor import Predecessor

# What the file of the same path lacks is looked for elsewhere if it is more than this part of the shard.
_WORTH_A_SEARCH = 64

FindMoved = Callable[[Sequence[TensorRange]], Sequence[Predecessor]]
"""Returns files of the predecessor that hold any of these tensors; it is asked once, if at all."""


def find_nothing(lacking: Sequence[TensorRange]) -> Sequence[Predecessor]:
    """Stand in where the predecessor has one file, or none."""
    return ()


def list_earlier_files(
    tensors: Iterable[TensorRange], predecessor: Predecessor | None, find_moved: FindMoved
) -> Sequence[Predecessor]:
    """Return the files of the predecessor that a shard may lean on: the one of the same path first, if there is one.

    Where most tensors are in that one, no other is looked for. Without one, that which holds most comes first: glue is
    like that of its neighbours.
    """
    known = predecessor.tensors if predecessor is not None else {}
    files = [predecessor] if predecessor is not None else []
    wanted = list(tensors)
    lacking = [tensor for tensor in wanted if find_earlier(tensor, known) is None]
    if _sum_bytes(lacking) * _WORTH_A_SEARCH <= _sum_bytes(wanted):
        return files
    found_bytes = [
        (_sum_bytes(tensor for tensor in lacking if find_earlier(tensor, file.tensors) is not None), file)
        for file in find_moved(lacking)
    ]
    ranked = sorted(found_bytes, key=lambda found: -found[0])
    return [*files, *(file for n_bytes, file in ranked if n_bytes)]


def find_earlier(tensor: TensorRange, tensors: Mapping[str, TensorRange]) -> TensorRange | None:
    """Return the tensor of the same name, dtype and shape, None if there is none."""
    match = tensors.get(tensor.name)
    return match if match is not None and have_same_form(tensor, match) else None


def _sum_bytes(tensors: Iterable[TensorRange]) -> int:
    return sum(tensor.n_bytes for tensor in tensors)
