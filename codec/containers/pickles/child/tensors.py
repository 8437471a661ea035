"""Finds the tensors in an inert object, by walking it: no recursion, and every object once."""

from collections.abc import Iterable, Iterator

from weightzip.codec.containers.pickles.child.facts import list_fact_rows
from weightzip.codec.containers.pickles.child.inert import Inert, StorageReference
from weightzip.codec.containers.pickles.child.values import (
    Refused,
    Row,
    extend_name,
    take_number,
    take_numbers,
    take_text,
)

# The functions that give a tensor its storage, with the place of its dtype among their arguments if they have one.
_VIEWS = {
    "_rebuild_tensor": None,
    "_rebuild_tensor_v2": None,
    "_rebuild_tensor_v3": 6,
    "_rebuild_qtensor": None,
}
# Functions that wrap the tensor that is their first argument.
_WRAPPERS = {
    "_rebuild_parameter",
    "_rebuild_parameter_with_state",
    "_rebuild_device_tensor_from_cpu_tensor",
}
_SUBCLASSES = {"_rebuild_from_type", "_rebuild_from_type_v2"}
_MODULES = {"torch._utils", "torch._tensor"}
_MAX_WRAPPERS = _MAX_ARGS = 8
_SPARSE = {
    "torch.sparse_coo": ("indices", "values"),
    "torch.sparse_csr": ("crow_indices", "col_indices", "values"),
    "torch.sparse_csc": ("ccol_indices", "row_indices", "values"),
    "torch.sparse_bsr": ("crow_indices", "col_indices", "values"),
    "torch.sparse_bsc": ("ccol_indices", "row_indices", "values"),
}
_PLAIN = (str, bytes, bytearray, int, float, complex, type(None), type)
Child = tuple[str, object]


def list_tensor_rows(root: object, references: Iterable[StorageReference]) -> Iterator[Row]:
    """Yield the rows on storages, tensors and facts of an object.

    A tensor that stands at several places is told of at each of them; other objects only at the first.
    """
    for reference in references:
        yield ["storage", take_text(reference.key), reference.dtype, reference.n_elements]
    seen: set[int] = set()
    stack: list[Child] = [("", root)]
    while stack:
        name, value = stack.pop()
        if isinstance(value, StorageReference):
            yield [*_begin_row(name, value, value.dtype), [value.n_elements], [1], value.offset]
            continue
        if isinstance(value, Inert):
            function, args = _unwrap(value)
            if _is_view(function, args):
                yield _tell_view(name, function, args)
        if id(value) not in seen:
            seen.add(id(value))
            yield from list_fact_rows(name, value)
            stack.extend(child for child in reversed(_list_children(name, value)) if _is_worth(child[1]))


def _is_worth(value: object) -> bool:
    return not isinstance(value, _PLAIN)


def _begin_row(name: str, reference: StorageReference, dtype: str) -> Row:
    return ["tensor", name, take_text(reference.key), dtype]


def _is_view(function: str, args: tuple[object, ...]) -> bool:
    return function in _VIEWS and len(args) >= 4 and isinstance(args[0], StorageReference)


def _tell_view(name: str, function: str, args: tuple[object, ...]) -> Row:
    reference, dtype_at = args[0], _VIEWS[function]
    if not isinstance(reference, StorageReference):
        raise Refused
    dtype = reference.dtype
    if dtype_at is not None:
        dtype = _name_class(args[dtype_at]) if len(args) > dtype_at else ""
    row = _begin_row(name, reference, dtype)
    offset = take_number(take_number(args[1]) + reference.offset)
    return [*row, take_numbers(args[2]), take_numbers(args[3]), offset]


def _name_class(value: object) -> str:
    return value.qualified[1][:64] if isinstance(value, type) and issubclass(value, Inert) else ""


def _name_function(function: object) -> str:
    """Return the name of a function of torch that rebuilds tensors, empty for any other."""
    if isinstance(function, type) and issubclass(function, Inert) and function.qualified[0] in _MODULES:
        return function.qualified[1]
    return ""


def _unwrap(value: Inert) -> tuple[str, tuple[object, ...]]:
    """Return the function that makes a tensor, and its arguments, without what is wrapped around it."""
    function, args = _name_function(type(value)), value.args
    for _ in range(_MAX_WRAPPERS):
        if function in _WRAPPERS and args and isinstance(args[0], Inert):
            function, args = _name_function(type(args[0])), args[0].args
        elif function in _SUBCLASSES and len(args) > 2 and isinstance(args[2], tuple):
            function, args = _name_function(args[0]), args[2]
        else:
            break
    return function, args


def _list_children(name: str, value: object) -> list[Child]:
    if isinstance(value, Inert):
        return _list_parts(name, value)
    if isinstance(value, dict):
        return [(extend_name(name, key), child) for key, child in value.items() if _is_worth(child)]
    if isinstance(value, list | tuple | set | frozenset):
        return [(extend_name(name, index), child) for index, child in enumerate(value) if _is_worth(child)]
    return []


def _list_parts(name: str, value: Inert) -> list[Child]:
    """Return the arguments of an object, its items and its attributes; what several share is one child of each."""
    function, args = _name_function(type(value)), value.args
    parts: list[Child] = []
    if _is_view(*_unwrap(value)):
        pass
    elif function == "_rebuild_sparse_tensor":
        parts = _list_sparse_parts(name, args)
    elif function in _SUBCLASSES:
        parts = [(name, arg) for arg in args[2:3]]
    else:
        parts = [(name, arg) for arg in args[:_MAX_ARGS]] if function else [(name, args)]
    parts += [(extend_name(name, key), child) for key, child in value.items or ()]
    state = args[3] if function in _SUBCLASSES and len(args) > 3 else value.state
    if isinstance(state, tuple) and len(state) == 2 and isinstance(state[1], dict):  # __dict__, __slots__
        return parts + [(name, part) for part in state]
    return [*parts, (name, state)]


def _list_sparse_parts(name: str, args: tuple[object, ...]) -> list[Child]:
    if len(args) < 2 or not isinstance(args[0], Inert) or not isinstance(args[1], tuple):
        return []
    labels = _SPARSE.get(str(args[0].args[0]) if args[0].args else "", ())
    return [(extend_name(name, label), child) for label, child in zip(labels, args[1], strict=False)]
