"""An unpickler that makes nothing but inert objects: they remember what they were given, and can do nothing.

Nothing that a pickle names is ever looked up, imported or called. Dictionaries are the only objects that it may name
and get for real (and numbers, text, tuples, lists and sets, which have codes of their own).
"""

import pickle
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from typing_extensions import Self

# Far above what trainers pickle.
MAX_CLASSES = 10_000


class Inert:
    """Stands for an object: of a class or of a call that the pickle names, which `qualified` tells."""

    __slots__ = ("args", "items", "state")
    qualified: tuple[str, str] = ("", "")
    args: tuple[object, ...]
    items: list[tuple[object, object]] | None
    state: object

    def __new__(cls, *args: object, **kwargs: object) -> "Self":
        made = object.__new__(cls)
        made.args, made.items, made.state = args, None, None
        return made

    def __init__(self, *args: object, **kwargs: object) -> None:
        pass

    def __setitem__(self, key: object, value: object) -> None:
        if self.items is None:
            self.items = []
        self.items.append((key, value))

    def append(self, value: object) -> None:
        self[len(self.items or ())] = value

    add = append

    def extend(self, values: list[object]) -> None:
        for value in values:
            self.append(value)

    def __setstate__(self, state: object) -> None:
        self.state = state

    def __call__(self, *args: object) -> "Inert":
        return Inert(*args)


class InertDict(dict[object, object]):
    """A dictionary without attributes: state_dict() gives its own some, which tell of no tensor."""

    __slots__ = ()

    def __setstate__(self, state: object) -> None:
        pass


class StorageReference:
    """A persistent id: a storage of `n_elements` of the type that `dtype` names, from element `offset` on."""

    __slots__ = ("dtype", "key", "n_elements", "offset")

    def __init__(self, dtype: str, key: str, n_elements: int, offset: int) -> None:
        self.dtype, self.key, self.n_elements, self.offset = dtype, key, n_elements, offset


class InertUnpickler(pickle.Unpickler):
    """Loads one pickle. `references` are the storages that it refers to, by key, first mention first."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream, encoding="latin1")
        self.references: dict[str, StorageReference] = {}
        self._classes: dict[tuple[str, str], type] = {
            ("collections", "OrderedDict"): InertDict,
            ("builtins", "dict"): InertDict,
            ("__builtin__", "dict"): InertDict,
        }

    def find_class(self, module: str, name: str, /) -> type:
        """Return an inert class for whatever is asked for."""
        qualified = (module, name)
        found = self._classes.get(qualified)
        if found is None:
            if len(self._classes) >= MAX_CLASSES:
                raise pickle.UnpicklingError("too many classes")
            found = type("Named", (Inert,), {"__slots__": (), "qualified": qualified})
            self._classes[qualified] = found
        return found

    def persistent_load(self, pid: object, /) -> object:
        """Return a reference for a storage, None for anything else (sources of modules)."""
        if not isinstance(pid, tuple) or len(pid) < 5 or pid[0] != "storage":
            return None
        kind, key, n_elements = pid[1], pid[2], pid[4]
        view = pid[5] if len(pid) > 5 else None  # (key, offset, elements), in files of old
        offset = view[1] if isinstance(view, tuple) and len(view) == 3 else 0
        if not (isinstance(kind, type) and issubclass(kind, Inert) and type(key) is str and len(key) <= 256):
            raise pickle.UnpicklingError("no storage")
        if not (type(n_elements) is type(offset) is int and 0 <= offset < 1 << 63 > n_elements >= 0):
            raise pickle.UnpicklingError("no size of a storage")
        reference = StorageReference(kind.qualified[1][:64], key, n_elements, offset)
        self.references.setdefault(key, reference)
        return reference
