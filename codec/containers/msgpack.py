"""msgpack files as flax writes them: nested maps whose leaves are arrays (extension 1: shape, dtype, bytes).

The format has no magic: a file is one if it is a single map that holds arrays and ends where the file does. Arrays of
more than a gigabyte come in flat fragments, which are tensors named after the element that they begin with.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from weightzip.codec.containers.claim import make_claim, settle_claims
from weightzip.codec.containers.dtype_names import DTYPES_BY_NAME
from weightzip.codec.containers.fragment_names import name_fragment
from weightzip.codec.containers.msgpack_cursor import Kind, read_head
from weightzip.codec.containers.scan_cursor import ScanCursor
from weightzip.codec.containers.unreadable import Unreadable
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, Layout
from weightzip.codec.format.limits import MAX_TENSORS
from weightzip.codec.source import ByteSource

_ARRAY_EXTENSION = 1
_IN_FRAGMENTS, _FRAGMENTS = "__msgpack_chunked_array__", "chunks"
_MAX_KEY_BYTES = 4096
_MAX_DEPTH = 64
_MAX_RANK = 32
_MAX_DIMENSION = (1 << 63) - 1

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Leaf:
    """An array: how it is reached, and where its bytes are."""

    path: Path
    shape: tuple[int, ...]
    dtype: DType
    offset: int
    n_bytes: int


def read_msgpack_layout(source: ByteSource) -> Layout | None:
    """Return the layout of a msgpack file with arrays, None if it is none that is whole and makes sense."""
    cursor = ScanCursor(source)
    if cursor.remaining == 0:
        return None
    walk = _Walk(cursor)
    try:
        walk.walk_file()
    except Unreadable:
        return None
    claims = [
        make_claim(name, leaf.dtype, leaf.shape, leaf.offset, leaf.n_bytes)
        for name, leaf in _name_leaves(walk.leaves, walk.in_fragments)
    ]
    return Layout(ContainerKind.MSGPACK, source.size_bytes, settle_claims(claims, source.size_bytes))


class _Walk:
    """One pass through a file: the arrays, and the paths whose arrays are fragments."""

    def __init__(self, cursor: ScanCursor) -> None:
        self._cursor = cursor
        self.leaves: list[_Leaf] = []
        self.in_fragments: set[Path] = set()

    def walk_file(self) -> None:
        head = read_head(self._cursor)
        if head.kind != Kind.MAP:
            raise Unreadable
        self._walk_map((), head.size)
        if self._cursor.remaining > 0 or not 0 < len(self.leaves) <= MAX_TENSORS:
            raise Unreadable

    def _walk_map(self, path: Path, n_pairs: int) -> None:
        self._cursor.count_items(n_pairs)
        for _ in range(n_pairs):
            key = self._read_key()
            if key == _IN_FRAGMENTS:
                self.in_fragments.add(path)
            self._walk_value((*path, key))

    def _walk_value(self, path: Path) -> None:
        if len(path) > _MAX_DEPTH:
            raise Unreadable
        head = read_head(self._cursor)
        if head.kind == Kind.MAP:
            self._walk_map(path, head.size)
        elif head.kind == Kind.ARRAY:
            self._cursor.count_items(head.size)
            for index in range(head.size):
                self._walk_value((*path, str(index)))
        elif head.kind == Kind.EXTENSION and head.extension == _ARRAY_EXTENSION:
            self.leaves.append(self._read_leaf(path, self._cursor.position + head.size))
        elif head.kind != Kind.INTEGER:
            self._cursor.skip(head.size)

    def _read_key(self) -> str:
        head = read_head(self._cursor)
        if head.kind == Kind.INTEGER:
            return str(head.size)
        return self._read_text(head.kind, head.size)

    def _read_text(self, kind: Kind, n_bytes: int) -> str:
        if kind != Kind.TEXT or n_bytes > _MAX_KEY_BYTES:
            raise Unreadable
        return self._cursor.text(n_bytes)

    def _read_leaf(self, path: Path, end: int) -> _Leaf:
        """Return the array whose shape, dtype and bytes fill the extension from here to `end`."""
        fields = read_head(self._cursor)
        if (fields.kind, fields.size) != (Kind.ARRAY, 3):
            raise Unreadable
        shape = self._read_shape()
        name = read_head(self._cursor)
        dtype = DTYPES_BY_NAME.get(self._read_text(name.kind, name.size), DType.OPAQUE)
        data = read_head(self._cursor)
        offset = self._cursor.position
        if data.kind != Kind.BYTES or offset + data.size != end:
            raise Unreadable
        self._cursor.skip(data.size)
        return _Leaf(path, shape, dtype, offset, data.size)

    def _read_shape(self) -> tuple[int, ...]:
        head = read_head(self._cursor)
        if head.kind != Kind.ARRAY or head.size > _MAX_RANK:
            raise Unreadable
        sizes = [read_head(self._cursor) for _ in range(head.size)]
        if any(size.kind != Kind.INTEGER or not 0 <= size.size <= _MAX_DIMENSION for size in sizes):
            raise Unreadable
        return tuple(size.size for size in sizes)


def _name_leaves(leaves: list[_Leaf], in_fragments: set[Path]) -> Iterator[tuple[str, _Leaf]]:
    fragments: dict[Path, list[_Leaf]] = defaultdict(list)
    for leaf in leaves:
        whole, last, index = leaf.path[:-2], leaf.path[-2:-1], leaf.path[-1]
        if last == (_FRAGMENTS,) and whole in in_fragments and index.isdecimal():
            fragments[whole].append(leaf)
        else:
            yield ".".join(leaf.path), leaf
    for path, parts in fragments.items():
        begin = 0
        for part in sorted(parts, key=lambda leaf: int(leaf.path[-1])):
            yield name_fragment(".".join(path), (begin,)), part
            begin += prod(part.shape)
