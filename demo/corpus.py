"""What the model learns from: the sources of Python's standard library, which every machine here has."""

import sysconfig
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from demo.model import CONTEXT

CORPUS_BYTES = 4_000_000


def load_corpus() -> NDArray[np.uint8]:
    """Return up to `CORPUS_BYTES` of Python source, the same on every call."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    text = bytearray()
    for path in sorted(folder.glob("*.py")):
        text += path.read_bytes()
        if len(text) >= CORPUS_BYTES:
            break
    return np.frombuffer(bytes(text[:CORPUS_BYTES]), np.uint8)


def draw_batch(
    corpus: NDArray[np.uint8], rng: np.random.Generator, batch: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return `batch` random contexts of `CONTEXT` bytes and the byte that follows each."""
    starts = rng.integers(0, len(corpus) - CONTEXT, size=batch)
    windows = corpus[starts[:, None] + np.arange(CONTEXT + 1)]
    return windows[:, :-1], windows[:, -1]
