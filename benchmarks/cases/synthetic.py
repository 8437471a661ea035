"""Large safetensors files for the memory measurements, written as a stream: values like weights, one seed, one file."""

import json
from pathlib import Path

import numpy as np

COLUMNS = 4096
ROWS = 4096


def write_synthetic_shard(path: Path, n_bytes: int, seed: int, drift: float = 0.0) -> None:
    """Write `n_bytes` of bf16 matrices, and up to one matrix more. The same seed and another drift give a predecessor of the file."""
    matrix_bytes = ROWS * COLUMNS * 2
    n_tensors = -(-n_bytes // matrix_bytes)
    header = {
        f"layers.{index}.weight": {
            "dtype": "BF16",
            "shape": [ROWS, COLUMNS],
            "data_offsets": [index * matrix_bytes, (index + 1) * matrix_bytes],
        }
        for index in range(n_tensors)
    }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for index in range(n_tensors):
            file.write(_draw_matrix(seed + index, drift).data)


def _draw_matrix(seed: int, drift: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint16]]:
    values = np.random.default_rng(seed).standard_normal(ROWS * COLUMNS, dtype=np.float32)
    values *= np.float32(0.02)
    if drift:
        values += np.float32(drift) * np.random.default_rng(seed + 1_000_000).standard_normal(
            ROWS * COLUMNS, dtype=np.float32
        )
    return (values.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
