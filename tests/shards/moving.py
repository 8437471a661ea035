"""Checkpoints of several files whose tensors drift from step to step, spread over the files as a test wants."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shards.build import Tensor, build_safetensors

N_ELEMENTS = 12_000


def write_shards(folder: Path, step: int, shards: Sequence[Sequence[int]], names: Sequence[str]) -> Path:
    """Write files into a folder; `shards` says by number which tensors each holds."""
    folder.mkdir(parents=True)
    for name, numbers in zip(names, shards, strict=True):
        (folder / name).write_bytes(build_safetensors([_make_tensor(number, step) for number in numbers]))
    return folder


def split_evenly(n_tensors: int, n_shards: int) -> list[list[int]]:
    """Return the numbers of tensors in shards of neighbours."""
    return [list(map(int, part)) for part in np.array_split(np.arange(n_tensors), n_shards)]


def name_shards(n_shards: int) -> list[str]:
    """Return the names of the shards as Hugging Face writes them."""
    return [f"model-{number:05d}-of-{n_shards:05d}.safetensors" for number in range(1, n_shards + 1)]


def _make_tensor(number: int, step: int) -> Tensor:
    values = np.random.default_rng(number).normal(0, 0.02, N_ELEMENTS)
    for one in range(1, step + 1):
        values += np.random.default_rng([number, one]).normal(0, 2e-6, N_ELEMENTS)
    return Tensor(f"layer.{number}.weight", "F32", (N_ELEMENTS,), values.astype("<f4").tobytes())
