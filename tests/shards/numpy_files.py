"""Small files as NumPy saves them."""

import io
from typing import Any

import numpy as np
import numpy.typing as npt


def build_npy(array: npt.NDArray[Any], version: tuple[int, int] | None = None) -> bytes:
    """Return an npy file, of the oldest version that holds the array if none is given."""
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def build_npz(arrays: dict[str, npt.NDArray[Any]], *, compressed: bool = False) -> bytes:
    """Return an npz file, stored or deflated."""
    out = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(out, allow_pickle=True, **arrays)
    return out.getvalue()


def build_small_npz() -> bytes:
    """Return an npz file of three arrays, one of them big-endian."""
    weights = np.arange(12, dtype=np.float32).reshape(3, 4)
    return build_npz(
        {"weights": weights, "bias": np.arange(3, dtype=np.float16), "big": weights.astype(">f4")}
    )
