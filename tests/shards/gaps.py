"""Shards as zip-like containers write them: bytes of their own before and after every tensor, small among large."""

import struct
import zlib
from collections.abc import Sequence

import numpy as np

from shards.build import Tensor
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange

_ALIGNMENT = 64


def build_gapped(tensors: Sequence[Tensor]) -> tuple[bytes, Layout]:
    """Return a shard with a header before each tensor, a checksum after it, and a directory at the end; its layout."""
    shard, directory = bytearray(b"begin" * 20), b""
    ranges = []
    for tensor in tensors:
        head = b"PK\3\4 " + tensor.name.encode() + struct.pack("<I", len(tensor.data))
        shard += head + b"Z" * (-(len(shard) + len(head)) % _ALIGNMENT)
        ranges.append(
            TensorRange(tensor.name, DType[tensor.dtype], tensor.shape, len(shard), len(tensor.data))
        )
        checksum = struct.pack("<I", zlib.crc32(tensor.data))
        shard += tensor.data + b"PK\7\x08" + checksum
        directory += b"PK\1\2 " + tensor.name.encode() + checksum
    shard += directory
    return bytes(shard), Layout(ContainerKind.TORCH_ZIP, len(shard), tuple(ranges))


def list_states(
    step: int,
    *,
    shapes: Sequence[tuple[int, ...]] = ((40, 50), (50,), (30, 20), (20,)),
    n_parameters: int = 12,
) -> list[Tensor]:
    """Return the state of AdamW at a step: of every parameter a counter, a first and a second moment."""
    tensors = []
    for number in range(n_parameters):
        shape = shapes[number % len(shapes)]
        scale = np.exp(np.random.default_rng(number).standard_normal(shape[-1]))
        moved = np.random.default_rng(1000 * step + number)
        first = (moved.standard_normal(shape) * scale).astype("<f4")
        second = (scale * scale * np.exp(0.01 * moved.standard_normal(shape))).astype("<f4")
        tensors += [
            Tensor(f"state.{number}.step", "F32", (), struct.pack("<f", step)),
            Tensor(f"state.{number}.exp_avg", "F32", shape, first.tobytes()),
            Tensor(f"state.{number}.exp_avg_sq", "F32", shape, second.tobytes()),
        ]
    return tensors
