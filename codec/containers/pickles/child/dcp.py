"""Reads what a DCP `.metadata` file says: where the items of a checkpoint lie, and which chunk of which tensor each is."""

from collections.abc import Iterator

from weightzip.codec.containers.pickles.child.inert import Inert
from weightzip.codec.containers.pickles.child.values import (
    Refused,
    Row,
    get_field,
    list_fields,
    take_number,
    take_numbers,
    take_text,
)


def list_dcp_rows(root: object) -> Iterator[Row]:
    """Yield the rows on tensors and items of a Metadata object."""
    described, stored = get_field(root, "state_dict_metadata"), get_field(root, "storage_data")
    if not isinstance(described, dict) or not isinstance(stored, dict):
        raise Refused
    tensors: dict[str, tuple[str, dict[tuple[int, ...], list[int]]]] = {}
    for fqn, description in described.items():
        size, chunks = get_field(description, "size"), get_field(description, "chunks")
        if size is None or not isinstance(chunks, list):  # no tensor
            continue
        shapes = {
            tuple(take_numbers(get_field(chunk, "offsets"))): take_numbers(get_field(chunk, "sizes"))
            for chunk in chunks
        }
        tensors[take_text(fqn)] = _name_dtype(get_field(description, "properties")), shapes
        yield ["described", take_text(fqn), take_numbers(size), len(shapes)]
    for place, info in stored.items():
        yield _tell_item(dict(list_fields(place)), dict(list_fields(info)), tensors)


def _tell_item(
    place: dict[object, object],
    info: dict[object, object],
    tensors: dict[str, tuple[str, dict[tuple[int, ...], list[int]]]],
) -> Row:
    fqn = take_text(place.get("fqn"))
    dtype, shapes = tensors.get(fqn, (None, {}))
    offset = None if place.get("offset") is None else take_numbers(place.get("offset"))
    shape = None if offset is None else shapes.get(tuple(offset))
    known = shape is not None
    transforms = info.get("transform_descriptors") or ()
    if not isinstance(transforms, list | tuple) or len(transforms) > 16:
        raise Refused
    return [
        "item",
        fqn,
        offset if known else None,
        shape,
        dtype if known else None,
        take_text(info.get("relative_path")),
        take_number(info.get("offset")),
        take_number(info.get("length")),
        [take_text(transform) for transform in transforms],
    ]


def _name_dtype(properties: object) -> str:
    """Return the dtype of a TensorProperties: the first of its state, or a field of it."""
    state = properties.state if isinstance(properties, Inert) else None
    dtype = state[0] if isinstance(state, tuple) and state else get_field(properties, "dtype")
    if not (isinstance(dtype, type) and issubclass(dtype, Inert)):
        raise Refused
    return take_text(dtype.qualified[1])
