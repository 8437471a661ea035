"""The device by way of CuPy, as far as it goes without a GPU; with one, the same archives decode there."""

import sys
from types import ModuleType
from typing import Any

import pytest

from cudasim.cupy_stand_in import make_cupy
from cudasim.golden_archives import VECTORS, decode_vector
from weightzip.errors import UsageError
from weightzip.gpu.cupy_device import CupyDevice, open_cupy_device

_VECTORS = [path for path in VECTORS if path.stem in ("bf16", "companion", "factors-sections", "fp64-moved")]


def _find_real_cupy() -> Any:
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    if not cupy.cuda.is_available():
        pytest.skip("CuPy finds no GPU")
    return cupy


@pytest.mark.parametrize("vector", _VECTORS, ids=lambda path: path.stem)
def test_golden_archives_by_way_of_cupy(vector: Any) -> None:
    assert decode_vector(vector, CupyDevice(make_cupy())) == vector.with_suffix(".raw").read_bytes()


def test_golden_archives_on_a_gpu() -> None:
    device = CupyDevice(_find_real_cupy())
    for vector in VECTORS:
        assert decode_vector(vector, device) == vector.with_suffix(".raw").read_bytes(), vector.stem


def test_without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(UsageError, match="cupy-cuda13x"):
        open_cupy_device()


@pytest.mark.parametrize(("n_devices", "said"), [(0, "no GPU"), (None, "InsufficientDriver")])
def test_without_a_gpu(monkeypatch: pytest.MonkeyPatch, n_devices: int | None, said: str) -> None:
    monkeypatch.setitem(sys.modules, "cupy", _as_module(make_cupy(n_devices)))
    with pytest.raises(UsageError, match=said):
        open_cupy_device()


def test_with_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", _as_module(make_cupy()))
    assert isinstance(open_cupy_device(), CupyDevice)


def _as_module(namespace: Any) -> ModuleType:
    module = ModuleType("cupy")
    vars(module).update(vars(namespace))
    return module
