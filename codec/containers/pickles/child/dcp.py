"""Reads what a DCP `.metadata` file says: where the items of a checkpoint lie, and which fragment of which tensor each is."""

from collections.abc import Iterator

from weightzip.codec.containers.pickles.child.inert import Inert
from weightzip.codec.containers.pickles.child.values import (
    Refused,
    Row,
    get_field,
    take_number,
    take_numbers,
    take_text,
)

_MAX_TRANSFORMS = 16
_Shapes = dict[tuple[int, ...], list[int]]


def list_dcp_rows(root: object) -> Iterator[Row]:
    """Yield the rows on tensors and items of a Metadata object."""
    described, stored = get_field(root, "state_dict_metadata"), get_field(root, "storage_data")
    if not isinstance(described, dict) or not isinstance(stored, dict):
        raise Refused
    tensors: dict[str, tuple[str, _Shapes]] = {}
    shapes_by_list: dict[int, _Shapes] = {}  # one list may stand at any number of names
    for fqn, description in described.items():
        size, fragments = get_field(description, "size"), get_field(description, "chunks")
        if size is None or not isinstance(fragments, list):  # no tensor
            continue
        shapes = shapes_by_list.get(id(fragments))
        if shapes is None:
            shapes = shapes_by_list[id(fragments)] = _list_fragment_shapes(fragments)
        tensors[take_text(fqn)] = _name_dtype(get_field(description, "properties")), shapes
        yield ["described", take_text(fqn), take_numbers(size), len(shapes)]
    for place, info in stored.items():
        yield _tell_item(place, info, tensors)


def _list_fragment_shapes(fragments: list[object]) -> _Shapes:
    return {
        tuple(take_numbers(get_field(fragment, "offsets"))): take_numbers(get_field(fragment, "sizes"))
        for fragment in fragments
    }


def _tell_item(place: object, info: object, tensors: dict[str, tuple[str, _Shapes]]) -> Row:
    fqn, begin = take_text(get_field(place, "fqn")), get_field(place, "offset")
    dtype, shapes = tensors.get(fqn, (None, {}))
    offset = None if begin is None else take_numbers(begin)
    shape = None if offset is None else shapes.get(tuple(offset))
    known = shape is not None
    transforms = get_field(info, "transform_descriptors") or ()
    if not isinstance(transforms, list | tuple) or len(transforms) > _MAX_TRANSFORMS:
        raise Refused
    return [
        "item",
        fqn,
        offset if known else None,
        shape,
        dtype if known else None,
        take_text(get_field(info, "relative_path")),
        take_number(get_field(info, "offset")),
        take_number(get_field(info, "length")),
        [take_text(transform) for transform in transforms],
    ]


def _name_dtype(properties: object) -> str:
    """Return the dtype of a TensorProperties: the first of its state, or a field of it."""
    state = properties.state if isinstance(properties, Inert) else None
    dtype = state[0] if isinstance(state, tuple) and state else get_field(properties, "dtype")
    if not (isinstance(dtype, type) and issubclass(dtype, Inert)):
        raise Refused
    return take_text(dtype.qualified[1])
