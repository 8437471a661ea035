"""The names of fragments: of tensors that lie in several files, or in several places of one."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

_SHARDING_KEY, _OFFSETS_KEY = "DCP_SHARDING_INFO", "saved_offsets"
_MAX_RANK = 64
# A line for each tensor; what is longer belongs to no model.
_MAX_TEXT_BYTES = 32 << 20
_MAX_VALUES = 2_000_000


def name_fragment(name: str, offsets: Sequence[int]) -> str:
    """Return the name of the fragment that begins at these indices of a tensor: `name[o0,o1]`."""
    return f"{name}[{','.join(map(str, offsets))}]"


def read_fragment_offsets(metadata: Any) -> Mapping[str, tuple[int, ...]]:
    """Return the offsets by name that DCP notes in the metadata of its safetensors files; empty if there are none.

    Tensors that begin where the whole tensor does are left out: they may be the whole tensor. What makes no sense is
    left out, too.
    """
    text = metadata.get(_SHARDING_KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str) or len(text) > _MAX_TEXT_BYTES:
        return {}
    if sum(map(text.count, ",[{")) > _MAX_VALUES:
        return {}
    try:
        info = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(info, dict):
        return {}
    return {name: offsets for name, entry in info.items() if any(offsets := _parse_offsets(entry))}


def _parse_offsets(entry: Any) -> tuple[int, ...]:
    offsets = entry.get(_OFFSETS_KEY) if isinstance(entry, dict) else None
    if not isinstance(offsets, list) or len(offsets) > _MAX_RANK:
        return ()
    if not all(type(offset) is int and 0 <= offset < 1 << 63 for offset in offsets):
        return ()
    return tuple(offsets)
