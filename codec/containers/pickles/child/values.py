"""Plain values out of what an inert unpickler made: sizes, names, fields. What is odd is refused."""

from weightzip.codec.containers.pickles.child.inert import Inert

Row = list[object]
MAX_NAME_CHARS = 512
MAX_RANK = 64
_MAX_NUMBER = 1 << 63
# What merely says how an object holds its tensors.
_HOLDERS = {"_local_tensor", "_parameters", "_modules", "_buffers"}


class Refused(Exception):
    """A value is none that a checkpoint has at this place."""


def take_number(value: object) -> int:
    """Return a number from 0 to 2^63 - 1."""
    if type(value) is not int or not 0 <= value < _MAX_NUMBER:
        raise Refused
    return value


def take_numbers(value: object) -> list[int]:
    """Return the numbers of a tuple, a list or a torch.Size."""
    if isinstance(value, Inert):
        value = value.args[0] if value.args else ()
    if not isinstance(value, tuple | list) or len(value) > MAX_RANK:
        raise Refused
    return [take_number(number) for number in value]


def take_text(value: object) -> str:
    """Return a string of moderate length."""
    if type(value) is not str or len(value) > MAX_NAME_CHARS:
        raise Refused
    return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()


def extend_name(name: str, key: object) -> str:
    """Return the dotted name of what `key` leads to; a name of more than MAX_NAME_CHARS is cut."""
    part = spell_key(key)
    if part in _HOLDERS:
        return name
    return (f"{name}.{part}" if name else part)[:MAX_NAME_CHARS]


def spell_key(key: object) -> str:
    """Return how a key of a dictionary is spelled in a name."""
    if type(key) is str:
        return take_text(key[:MAX_NAME_CHARS])
    if (type(key) is int and abs(key) < _MAX_NUMBER) or type(key) in {bool, float, type(None)}:
        return str(key)
    return "?"


def get_field(value: object, key: str) -> object:
    """Return the item of a dictionary, or the attribute that an object was given, None if there is none."""
    parts = [value] if isinstance(value, dict) else list_states(value)
    return next((part[key] for part in parts if key in part), None)


def list_states(value: object) -> list[dict[object, object]]:
    """Return the attributes of an object by name: its __dict__, its __slots__, or both."""
    state = value.state if isinstance(value, Inert) else None
    parts = state if isinstance(state, tuple) and len(state) == 2 else (state,)
    return [part for part in parts if isinstance(part, dict)]
