"""Safetensors files as raw bytes: enough to regroup tensors without touching a value."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RawTensor:
    """One tensor as it lies in a file."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


def read_tensors(path: Path) -> dict[str, RawTensor]:
    """Return the tensors of a safetensors file in file order."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header.pop("__metadata__", None)
    ordered = sorted(header.items(), key=lambda entry: entry[1]["data_offsets"][0])
    return {
        name: RawTensor(
            entry["dtype"],
            tuple(entry["shape"]),
            content[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]],
        )
        for name, entry in ordered
    }


def write_tensors(path: Path, tensors: Mapping[str, RawTensor]) -> None:
    """Write a safetensors file that holds `tensors` in the order given."""
    header: dict[str, object] = {}
    end = 0
    for name, tensor in tensors.items():
        start, end = end, end + len(tensor.data)
        header[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(
        len(text).to_bytes(8, "little") + text + b"".join(tensor.data for tensor in tensors.values())
    )
