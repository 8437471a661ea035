"""Small msgpack files as flax writes them, built from the description of the format."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Leaf:
    """An array; `dtype` as NumPy names it. `extension` 1 is an array, 3 a scalar."""

    shape: tuple[int, ...]
    dtype: str
    data: bytes
    extension: int = 1


def pack(value: Any) -> bytes:
    """Return a value as msgpack: maps, lists, text, numbers, None and leaves."""
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int() if value < 0:
            return b"\xd3" + struct.pack(">q", value)
        case int():
            return bytes([value]) if value < 128 else b"\xcf" + struct.pack(">Q", value)
        case float():
            return b"\xcb" + struct.pack(">d", value)
        case str():
            return _pack_text(value.encode())
        case list() | tuple():
            return _pack_size(len(value), 0x90, b"\xdc") + b"".join(map(pack, value))
        case Mapping():
            pairs = (pack(key) + pack(item) for key, item in value.items())
            return _pack_size(len(value), 0x80, b"\xde") + b"".join(pairs)
        case Leaf():
            front = b"\x93" + pack(list(value.shape)) + pack(value.dtype)
            payload = front + b"\xc6" + struct.pack(">I", len(value.data)) + value.data
            return b"\xc9" + struct.pack(">IB", len(payload), value.extension) + payload
    raise TypeError(value)


def pack_fragments(leaf: Leaf, fragment_elements: int, element_bytes: int) -> dict[str, Any]:
    """Return the map that flax writes for a large array, cut into fragments of that many elements."""
    step = fragment_elements * element_bytes
    parts = [leaf.data[begin : begin + step] for begin in range(0, len(leaf.data), step)]
    return {
        "__msgpack_chunked_array__": True,
        "shape": {str(index): size for index, size in enumerate(leaf.shape)},
        "chunks": {
            str(index): Leaf((len(part) // element_bytes,), leaf.dtype, part)
            for index, part in enumerate(parts)
        },
    }


def build_small_msgpack() -> bytes:
    """Return a train state: parameters, moments, a scalar, and what is no array."""
    kernel = Leaf((2, 3), "float32", bytes(range(24)))
    state = {
        "step": 7,
        "lr": Leaf((), "float32", bytes(4), extension=3),
        "params": {"dense": {"kernel": kernel, "bias": Leaf((3,), "bfloat16", bytes(range(6)))}},
        "opt_state": {
            "0": {"mu": {"dense": {"kernel": kernel}}, "nu": {"dense": {"kernel": kernel}}},
            "1": None,
        },
        "notes": ["text", 1.5, True, -1],
    }
    return pack(state)


def _pack_text(text: bytes) -> bytes:
    return (bytes([0xA0 | len(text)]) if len(text) < 32 else b"\xd9" + bytes([len(text)])) + text


def _pack_size(size: int, small: int, first: bytes) -> bytes:
    return bytes([small | size]) if size < 16 else first + struct.pack(">H", size)
