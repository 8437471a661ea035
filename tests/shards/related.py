"""Files that are saved together: weights in bf16, and the optimizer's state with their fp32 masters and moments."""

from pathlib import Path

import numpy as np

from shards.build import Tensor, build_safetensors
from weightzip.codec.derivation import Derivation, derive

SHAPES = {"emb.weight": (200, 100), "b.0.weight": (100, 80), "b.0.bias": (100,)}


def write_related(directory: Path, step: int) -> tuple[Path, Path]:
    """Write a model and its optimizer as they were at a step; return both. The optimizer leans on itself."""
    model = directory / f"model-{step}.safetensors"
    optimizer = directory / f"optimizer-{step}.safetensors"
    start, moved = np.random.default_rng(11), np.random.default_rng(100 + step)
    weights, masters, first, second = [], [], [], []
    for name, shape in SHAPES.items():
        scale = np.exp(2 * start.standard_normal(shape)).astype(np.float32)
        master = start.standard_normal(shape) * (1 + 0.001 * step * moved.standard_normal(shape))
        data = master.astype(np.float32).tobytes()
        gradient = (moved.standard_normal(shape) * scale).astype(np.float32)
        copy = bytes(derive(data, Derivation.BF16_NEAREST_EVEN))
        weights.append(Tensor(f"model.{name}", "BF16", shape, copy))
        masters.append(Tensor(f"fp32_param.{name}", "F32", shape, data))
        first.append(Tensor(f"exp_avg.{name}", "F32", shape, gradient.tobytes()))
        second.append(Tensor(f"exp_avg_sq.{name}", "F32", shape, (scale * scale).tobytes()))
    model.write_bytes(build_safetensors(weights, metadata={"format": "pt"}))
    optimizer.write_bytes(build_safetensors([*first, *second, *masters]))
    return model, optimizer
