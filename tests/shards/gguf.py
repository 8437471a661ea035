"""Small GGUF files, built from the description of the format."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

U32, STRING, ARRAY = 4, 8, 9


@dataclass(frozen=True)
class GgufTensor:
    """One tensor of a GGUF file; `shape` in C order, `type_code` as the format numbers its types."""

    name: str
    type_code: int
    shape: tuple[int, ...]
    data: bytes


def build_gguf(
    tensors: Sequence[GgufTensor],
    *,
    pairs: Sequence[bytes] = (),
    version: int = 3,
    alignment: int = 32,
    reverse_table: bool = False,
) -> bytes:
    """Return a GGUF file; every tensor begins at a multiple of `alignment` from the first."""
    lines, data = [], b""
    for tensor in tensors:
        sizes = tensor.shape[::-1]
        line = pack_string(tensor.name) + struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes)
        lines.append(line + struct.pack("<IQ", tensor.type_code, len(data)))
        data += tensor.data + bytes(-len(tensor.data) % alignment)
    front = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs)) + b"".join(pairs)
    front += b"".join(reversed(lines) if reverse_table else lines)
    return front + bytes(-len(front) % alignment) + data


def pack_string(text: str) -> bytes:
    """Return a string as GGUF stores it."""
    return struct.pack("<Q", len(text.encode())) + text.encode()


def pack_number(key: str, number: int) -> bytes:
    """Return a key-value pair of a u32."""
    return pack_string(key) + struct.pack("<II", U32, number)


def pack_words(key: str, words: Sequence[str]) -> bytes:
    """Return a key-value pair of strings, such as the words of a tokenizer."""
    return (
        pack_string(key) + struct.pack("<IIQ", ARRAY, STRING, len(words)) + b"".join(map(pack_string, words))
    )


def build_small_gguf() -> bytes:
    """Return a GGUF file with known and quantised types, and a tokenizer."""
    tensors = [
        GgufTensor("blk.0.weight", 30, (3, 4), bytes(range(24))),
        GgufTensor("blk.0.quantised", 2, (2, 32), bytes(range(36))),
        GgufTensor("blk.0.bias", 0, (4,), bytes(range(16))),
    ]
    return build_gguf(
        tensors, pairs=[pack_number("general.quantization_version", 2), pack_words("tokens", ["a", "bc"])]
    )
