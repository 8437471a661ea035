"""Optimizers of torch number their parameters; where a group tells the names, those replace the numbers."""

from collections.abc import Iterator, Sequence

from weightzip.codec.containers.claim import move_claim
from weightzip.codec.containers.pickles import ParamGroupEntry
from weightzip.codec.format.layout import TensorRange


def name_optimizer_states(
    tensors: Sequence[TensorRange], entries: Sequence[ParamGroupEntry]
) -> tuple[TensorRange, ...]:
    """Return the tensors as `state.<name>.<slot>` for `state.<number>.<slot>` where the names are told."""
    names = {
        f"{_name_state(entry.path)}.{entry.param}": f"{_name_state(entry.path)}.{entry.name}"
        for entry in entries
        if entry.name is not None and type(entry.param) is int
    }
    return tuple(_rename(tensor, names) for tensor in tensors) if names else tuple(tensors)


def _name_state(path: str) -> str:
    return f"{path}.state" if path else "state"


def _rename(tensor: TensorRange, names: dict[str, str]) -> TensorRange:
    for end in _list_dots(tensor.name):
        if tensor.name[:end] in names:
            return move_claim(tensor, 0, names[tensor.name[:end]] + tensor.name[end:])
    return tensor


def _list_dots(name: str) -> Iterator[int]:
    position = name.find(".")
    while position >= 0:
        yield position
        position = name.find(".", position + 1)
