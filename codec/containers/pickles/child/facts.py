"""Facts that stand beside the tensors of an optimizer, and say which parameter they belong to."""

from collections.abc import Callable, Iterator

from weightzip.codec.containers.pickles.child.inert import Inert
from weightzip.codec.containers.pickles.child.values import (
    MAX_NAME_CHARS,
    Refused,
    Row,
    extend_name,
    get_field,
    take_number,
    take_numbers,
    take_text,
)

_MAX_NUMBERS = 1024


def list_fact_rows(path: str, holder: object) -> Iterator[Row]:
    """Yield what is known of names by the dictionary that stands at `path`."""
    if isinstance(holder, dict):
        for key, speak in _SPEAKERS.items():
            if key in holder:
                yield from speak(path, key, holder[key])


def _list_param_groups(path: str, _: str, groups: object) -> Iterator[Row]:
    told: set[int] = set()  # the same list again says nothing new, but may be said without end
    for index, group in enumerate(groups if isinstance(groups, list | tuple) else ()):
        params, names = get_field(group, "params"), get_field(group, "param_names")
        if not isinstance(params, list | tuple) or id(params) in told:
            continue
        told.add(id(params))
        known = names if isinstance(names, list | tuple) and len(names) == len(params) else None
        for position, param in enumerate(params):
            if _is_param(param):
                yield ["param", path, index, _spell(param), _spell(known[position]) if known else None]


def _is_param(value: object) -> bool:
    return type(value) is str or (type(value) is int and 0 <= value < 1 << 63)


def _spell(value: object) -> object:
    if type(value) is str:
        return take_text(value) if len(value) <= MAX_NAME_CHARS else None
    return value if _is_param(value) else None


def _list_slices(path: str, _: str, groups: object) -> Iterator[Row]:
    for index, name, fragment in _list_named(groups):
        place = take_number(get_field(fragment, "start")), take_number(get_field(fragment, "numel"))
        yield ["slice", path, index, name, *place]


def _list_shapes(path: str, _: str, groups: object) -> Iterator[Row]:
    for index, name, shape in _list_named(groups):
        yield ["shape", path, index, name, take_numbers(shape)]


def _list_named(groups: object) -> Iterator[tuple[int, str, object]]:
    """Yield group, name and value of dictionaries by group; one dictionary is one group."""
    listed = groups if isinstance(groups, list | tuple) else (groups,)
    for index, group in enumerate(listed):
        for name, value in group.items() if isinstance(group, dict) else ():
            yield index, take_text(name), value


def _list_numbers(path: str, key: str, value: object) -> Iterator[Row]:
    numbers = value if isinstance(value, list | tuple) else (value,)
    numbers = tuple(number.args[0] if _is_enum(number) else number for number in numbers[:_MAX_NUMBERS])
    if all(_is_param(number) and type(number) is int for number in numbers):
        yield ["numbers", extend_name(path, key), list(numbers)]


def _is_enum(value: object) -> bool:
    return isinstance(value, Inert) and len(value.args) == 1


def _tolerate(
    speak: Callable[[str, str, object], Iterator[Row]],
) -> Callable[[str, str, object], Iterator[Row]]:
    """Return the same without an error: a fact that is odd is no reason to forget the tensors."""

    def speak_if_sound(path: str, key: str, value: object) -> Iterator[Row]:
        try:
            yield from speak(path, key, value)
        except Refused:
            return

    return speak_if_sound


_SPEAKERS = {
    "param_groups": _tolerate(_list_param_groups),
    "param_slice_mappings": _tolerate(_list_slices),
    "param_shapes": _tolerate(_list_shapes),
    "group_paddings": _list_numbers,
    "partition_count": _list_numbers,
    "zero_stage": _list_numbers,
    "dp_world_size": _list_numbers,
    "mp_world_size": _list_numbers,
}
