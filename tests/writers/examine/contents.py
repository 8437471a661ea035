"""What the real libraries read out of a checkpoint: storages by key, to hold our ranges against."""

import dataclasses
import tarfile
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGUFReader
from safetensors.torch import load_file
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save
from torch.distributed.tensor import DTensor

from weightzip.codec.format.dtypes import DType
from writers.stand_ins import standing_in

_TORCH_SUFFIXES = {".pt", ".pth", ".bin", ".ckpt", ".pkl"}
_DTYPES = {
    torch.float64: DType.F64,
    torch.float32: DType.F32,
    torch.bfloat16: DType.BF16,
    torch.float16: DType.F16,
    torch.int64: DType.I64,
    torch.int32: DType.I32,
    torch.uint8: DType.U8,
    torch.bool: DType.BOOL,
}


@dataclass(frozen=True)
class Storage:
    """The bytes behind one tensor, or behind several views. The key tells the file, and the way to the tensor in it."""

    key: str
    dtype: DType
    data: bytes

    def find(self, data: bytes) -> Iterator[int]:
        """Yield where these bytes stand, at whole elements."""
        at = self.data.find(data)
        while at >= 0:
            if at % (self.dtype.bits // 8) == 0:
                yield at
            at = self.data.find(data, at + 1)


def load_tensors(checkpoint: Path) -> Mapping[str, torch.Tensor]:
    """Read every tensor of a checkpoint, which may be a file, with the library that it was made for."""
    files = [checkpoint] if checkpoint.is_file() else sorted(checkpoint.rglob("*"))
    found: dict[str, torch.Tensor] = {}
    for path in files:
        if path.is_file() and not path.is_symlink():
            place = "" if path == checkpoint else path.relative_to(checkpoint).as_posix()
            found.update(_flatten(_load_file(path), f"{place}:"))
    return found


def round_to_16_bits(storage: Storage) -> Mapping[DType, bytes]:
    """Return what copies in 16 bits of an fp32 storage would hold; of others nothing."""
    if storage.dtype != DType.F32:
        return {}
    values = torch.frombuffer(bytearray(storage.data), dtype=torch.float32)
    return {
        kind: values.to(dtype).view(torch.uint8).numpy().tobytes()
        for dtype, kind in _DTYPES.items()
        if kind in {DType.BF16, DType.F16}
    }


def list_storages(tensors: Mapping[str, torch.Tensor]) -> list[Storage]:
    """Return each storage once, under the key of the first tensor that lies in it."""
    storages: dict[int, Storage] = {}
    for key, tensor in tensors.items():
        whole = tensor.untyped_storage()
        if whole.nbytes():
            view: Any = torch.empty(0, dtype=torch.uint8)
            data = view.set_(whole).numpy().tobytes()
            storages.setdefault(whole.data_ptr(), Storage(key, _DTYPES[tensor.dtype], data))
    return list(storages.values())


def _load_file(path: Path) -> Any:
    if path.suffix == ".safetensors":
        return load_file(path)
    if path.suffix == ".npz":
        return {name: torch.from_numpy(array) for name, array in np.load(path).items()}
    if path.suffix == ".gguf":
        return {one.name: torch.from_numpy(np.array(one.data)) for one in GGUFReader(path).tensors}
    if path.suffix == ".nemo":
        with tarfile.open(path) as archive, tempfile.TemporaryDirectory() as folder:
            archive.extract("./model_weights.ckpt", folder, filter="data")
            return torch.load(Path(folder) / "model_weights.ckpt", weights_only=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # meshes without their processes
        if path.name == ".metadata":
            with tempfile.TemporaryDirectory() as folder:
                dcp_to_torch_save(path.parent, Path(folder) / "whole.pt")
                return torch.load(Path(folder) / "whole.pt", weights_only=False)
        if path.suffix in _TORCH_SUFFIXES:
            named = b"deepspeed.runtime" in path.read_bytes()
            with standing_in() if named else nullcontext():
                return torch.load(path, weights_only=False)
    return None


def _flatten(value: Any, key: str) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        if isinstance(value, DTensor):
            yield f"{key}._local_tensor", value.to_local().detach()
            yield f"{key}._spec.mesh._rank_map", value.device_mesh.mesh.int()
        else:
            yield key, value.detach()
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _flatten(item, f"{key}.{name}")
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _flatten(item, f"{key}.{number}")
    elif dataclasses.is_dataclass(value):
        yield from _flatten(vars(value), key)
