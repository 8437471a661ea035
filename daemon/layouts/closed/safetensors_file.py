"""safetensors: the header says where every tensor ends, and the last one must end with the file."""

import json
from typing import Any

from weightzip.codec.source import ByteSource

_LENGTH_BYTES = 8
_MAX_HEADER_BYTES = 100_000_000


def find_safetensors_problem(source: ByteSource) -> str | None:
    """Say why a safetensors file is not whole; None if its header's tensors tile it exactly."""
    size_bytes = source.size_bytes
    if size_bytes < _LENGTH_BYTES:
        return f"has {size_bytes} bytes, less than a header"
    header_bytes = int.from_bytes(source.read_at(0, _LENGTH_BYTES), "little")
    if header_bytes > _MAX_HEADER_BYTES:
        return f"says its header has {header_bytes} bytes, more than the format allows"
    if _LENGTH_BYTES + header_bytes > size_bytes:
        return f"ends inside its header: {size_bytes} of {_LENGTH_BYTES + header_bytes} bytes"
    try:
        header = json.loads(bytes(source.read_at(_LENGTH_BYTES, header_bytes)))
    except (ValueError, RecursionError):
        return "has a header that is not JSON"
    ranges = _tensor_ranges(header)
    if ranges is None:
        return "has a header without tensor offsets"
    return _find_gap(ranges, size_bytes - _LENGTH_BYTES - header_bytes)


def _tensor_ranges(header: Any) -> list[tuple[int, int]] | None:
    if not isinstance(header, dict):
        return None
    ranges = []
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
        if (
            not isinstance(offsets, list)
            or len(offsets) != 2
            or not all(type(o) is int and o >= 0 for o in offsets)
        ):
            return None
        ranges.append((offsets[0], offsets[1]))
    return sorted(ranges)


def _find_gap(ranges: list[tuple[int, int]], data_bytes: int) -> str | None:
    position = 0
    for begin, end in ranges:
        if begin != position or end < begin:
            return f"has tensors that do not tile its data at byte {position}"
        position = end
    if position != data_bytes:
        return f"holds {data_bytes} bytes of tensors, its header says {position}"
    return None
