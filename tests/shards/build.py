"""Small shards for tests: safetensors files built byte by byte, and weights that move a little between steps."""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Tensor:
    """One tensor of a safetensors file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: bytes


def build_safetensors(
    tensors: Sequence[Tensor],
    *,
    pad: bool = True,
    metadata: dict[str, str] | None = None,
    hole_bytes: int = 0,
) -> bytes:
    """Return a safetensors file with the tensors in the given order, `hole_bytes` of glue before each."""
    header: dict[str, Any] = {} if metadata is None else {"__metadata__": metadata}
    data = b""
    for tensor in tensors:
        data += b"\xaa" * hole_bytes
        offsets = [len(data), len(data) + len(tensor.data)]
        header[tensor.name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": offsets}
        data += tensor.data
    text = json.dumps(header).encode()
    if pad:
        text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def to_bf16(values: npt.NDArray[np.float32]) -> bytes:
    """Return float32 values cut to bf16."""
    return (values.view(np.uint32) >> np.uint32(16)).astype("<u2").tobytes()


def build_step(step: int, *, n_elements: int = 20_000) -> bytes:
    """Return a checkpoint at a step: bf16 and fp32 weights, small biases, an integer counter, a frozen tensor.

    Steps of one run share shapes and start; the weights move a little with each step.
    """
    start = np.random.default_rng(7)
    moved = np.random.default_rng(1000 + step)
    weights = (start.standard_normal(n_elements) * 0.02).astype(np.float32)
    frozen = start.standard_normal(500).astype(np.float32)
    weights = (weights * (1 + 0.003 * step * moved.standard_normal(n_elements))).astype(np.float32)
    biases = [moved.standard_normal(16).astype(np.float32) for _ in range(3)]
    tensors = [
        Tensor("model.weight", "F32", (n_elements // 10, 10), weights.tobytes()),
        *(Tensor(f"model.{i}.bias", "F32", (16,), bias.tobytes()) for i, bias in enumerate(biases)),
        Tensor("model.frozen", "F32", (500,), frozen.tobytes()),
        Tensor("model.half", "BF16", (n_elements,), to_bf16(weights)),
        Tensor("step", "I64", (), struct.pack("<q", step)),
        Tensor("mask", "BOOL", (64,), bytes(64)),
    ]
    return build_safetensors(tensors, metadata={"format": "pt"})


def write_step(directory: Path, step: int, *, n_elements: int = 20_000) -> Path:
    """Write build_step(step) to a file named after the step."""
    path = directory / f"step-{step}.safetensors"
    path.write_bytes(build_step(step, n_elements=n_elements))
    return path
