"""Directories as torch.distributed.checkpoint lays them out, file by file: also such as it would not write in one process."""

import io
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.distributed.checkpoint.filesystem import _StorageInfo
from torch.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)


@dataclass(frozen=True)
class Item:
    """One item of a `.distcp` file: a tensor, or a fragment of one at an offset, or any other object."""

    fqn: str
    value: Any
    fragment_offset: tuple[int, ...] | None = None
    transforms: tuple[str, ...] = ()


def save_bytes(value: Any) -> bytes:
    """Return what torch.save writes."""
    out = io.BytesIO()
    torch.save(value, out)
    return out.getvalue()


def write_dcp(folder: Path, files: Mapping[str, Sequence[Item]], metadata_name: str = ".metadata") -> None:
    """Write `.distcp` files, and the metadata of them all."""
    folder.mkdir(exist_ok=True)
    state: dict[str, Any] = {}
    places: dict[MetadataIndex, _StorageInfo] = {}
    for name, items in files.items():
        data = b""
        for item in items:
            saved = item.value if isinstance(item.value, bytes) else save_bytes(item.value)
            index = MetadataIndex(item.fqn, _find_offset(item))
            places[index] = _StorageInfo(name, len(data), len(saved), item.transforms or None)
            state[item.fqn] = _describe(item, state.get(item.fqn))
            data += saved
        (folder / name).write_bytes(data)
    metadata = Metadata(state_dict_metadata=state, storage_data=places)
    (folder / metadata_name).write_bytes(pickle.dumps(metadata))


def _find_offset(item: Item) -> torch.Size | None:
    if not isinstance(item.value, torch.Tensor):
        return None
    return torch.Size(item.fragment_offset or [0] * item.value.dim())


def _describe(item: Item, before: Any) -> BytesStorageMetadata | TensorStorageMetadata:
    if not isinstance(item.value, torch.Tensor):
        return BytesStorageMetadata()
    tensor = item.value
    fragments = [] if before is None else list(before.chunks)
    fragments.append(ChunkStorageMetadata(_find_offset(item) or torch.Size([]), tensor.size()))
    whole = [max(map(sum, zip(*sizes, strict=True))) for sizes in _by_axis(fragments)]
    return TensorStorageMetadata(TensorProperties(tensor.dtype), torch.Size(whole), fragments)


def _by_axis(fragments: Sequence[ChunkStorageMetadata]) -> list[tuple[Any, Any]]:
    offsets, sizes = zip(*((fragment.offsets, fragment.sizes) for fragment in fragments), strict=True)
    return list(zip(zip(*offsets, strict=True), zip(*sizes, strict=True), strict=True))
