"""npz files as NumPy writes them, stored and deflated."""

import io
import zipfile
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from shards.numpy_files import build_npz
from support.layouts import cut, read_tensors
from weightzip.codec.format.layout import ContainerKind

ARRAYS: dict[str, npt.NDArray[Any]] = {
    "weights": np.arange(12, dtype=np.float32).reshape(3, 4),
    "layer/bias": np.arange(3, dtype=np.int64),
    "names": np.array(["a", "bc"]),
    "objects": np.array([None], dtype=object),
    "nothing": np.zeros((0, 2), np.float16),
}


def test_stored_arrays_are_found_by_their_names() -> None:
    data = build_npz(ARRAYS)
    container, found = read_tensors(data)
    assert container == ContainerKind.NPZ
    assert list(found) == ["weights", "layer/bias", "names"]  # objects are a pickle, and nothing has no bytes
    for name, tensor in found.items():
        assert cut(data, tensor) == ARRAYS[name].tobytes()
        assert tensor.shape == ARRAYS[name].shape


def test_deflated_arrays_are_glue() -> None:
    assert read_tensors(build_npz(ARRAYS, compressed=True)) == (ContainerKind.NPZ, {})


@pytest.mark.parametrize("names", [[], ["a.npy", "b.txt"]])
def test_other_archives_are_opaque(names: list[str]) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, bytes(100))
    assert read_tensors(out.getvalue()) == (ContainerKind.OPAQUE, {})


def test_every_truncation_is_opaque() -> None:
    data = build_npz({"w": ARRAYS["weights"]})
    assert all(read_tensors(data[:size])[0] == ContainerKind.OPAQUE for size in range(len(data)))
