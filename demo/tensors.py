"""Writing and reading safetensors files, and the bf16 values that NumPy has no dtype for."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Tensors = dict[str, NDArray[np.float32]]
_BYTES_PER_ELEMENT = {"F32": 4, "BF16": 2}


def round_to_bf16(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Return the nearest bf16 of each finite value (ties to even), as its 16 bits."""
    bits = values.view(np.uint32)
    half, one, kept = np.uint32(0x7FFF), np.uint32(1), np.uint32(16)
    return ((bits + half + ((bits >> kept) & one)) >> kept).astype(np.uint16)


def widen_bf16(bits: NDArray[np.uint16]) -> NDArray[np.float32]:
    """Return the fp32 values that equal these bf16 bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def write_safetensors(path: Path, tensors: Mapping[str, NDArray[np.float32] | NDArray[np.uint16]]) -> None:
    """Write `tensors` in name order; uint16 arrays are stored as BF16, the others as F32."""
    header: dict[str, object] = {"__metadata__": {"format": "np"}}
    arrays = [np.ascontiguousarray(tensors[name]) for name in sorted(tensors)]
    end = 0
    for name, array in zip(sorted(tensors), arrays, strict=True):
        start, end = end, end + array.nbytes
        dtype = "BF16" if array.dtype == np.uint16 else "F32"
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in arrays:
            file.write(array.data)


def read_safetensors(path: Path) -> Tensors:
    """Return every tensor of a file that `write_safetensors` wrote, bf16 ones widened to fp32."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        stored = data[start + first : start + last]
        values = np.frombuffer(stored, "<u2" if entry["dtype"] == "BF16" else "<f4").reshape(entry["shape"])
        tensors[name] = widen_bf16(values) if entry["dtype"] == "BF16" else values.copy()
    return tensors
