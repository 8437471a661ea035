"""The layout of a shard: which of its bytes are which tensor. What is not a tensor is glue."""

from dataclasses import dataclass
from enum import IntEnum
from math import prod

from weightzip.codec.format.dtypes import DType


class ContainerKind(IntEnum):
    """The file format of a shard; the value is its code in the index."""

    OPAQUE = 0
    SAFETENSORS = 1
    TORCH_ZIP = 2
    TORCH_LEGACY = 3
    DCP = 4
    NPY = 5
    NPZ = 6
    GGUF = 7
    MSGPACK = 8
    TAR = 9


@dataclass(frozen=True, slots=True)
class TensorRange:
    """One tensor's place in a shard: `n_bytes` bytes from `offset`."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    offset: int
    n_bytes: int

    @property
    def end(self) -> int:
        """Return the offset of the first byte after the tensor."""
        return self.offset + self.n_bytes

    @property
    def is_consistent(self) -> bool:
        """Return whether shape and dtype give n_bytes; opaque tensors may have any size."""
        return self.dtype == DType.OPAQUE or prod(self.shape) * self.dtype.bits == self.n_bytes * 8


@dataclass(frozen=True)
class Layout:
    """A shard's tensors in ascending order of offset, without overlap; the rest is glue."""

    container: ContainerKind
    file_bytes: int
    tensors: tuple[TensorRange, ...]
