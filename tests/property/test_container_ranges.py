"""Whatever tensors a container holds, each is found with its bytes, its shape and its dtype; damage is never an error."""

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.container_targets import check_layout
from shards.build import Tensor, build_safetensors
from shards.flax_msgpack import Leaf, pack
from shards.gguf import GgufTensor, build_gguf
from shards.numpy_files import build_npz
from shards.tar_files import build_tar
from support.layouts import cut, read_tensors
from weightzip.codec.containers import read_layout
from weightzip.codec.format.dtypes import DType
from weightzip.codec.source import MemorySource

# By their name in NumPy: ours, and GGUF's number.
DTYPES = {
    "float64": (DType.F64, 28),
    "float32": (DType.F32, 0),
    "float16": (DType.F16, 1),
    "int64": (DType.I64, 27),
    "int32": (DType.I32, 26),
    "int16": (DType.I16, 25),
    "int8": (DType.I8, 24),
}
Arrays = Mapping[str, npt.NDArray[np.generic]]


@st.composite
def arrays(draw: st.DrawFn) -> Arrays:
    """Draw up to ten arrays by name, none of them empty."""
    names = st.text("abcdefghijklmnopqrstuvwxyzäß_0123456789", min_size=1, max_size=60)
    drawn = {}
    for name in draw(st.lists(names, min_size=1, max_size=10, unique=True)):
        shape = draw(st.lists(st.integers(1, 6), max_size=4))
        random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
        dtype = np.dtype(draw(st.sampled_from(sorted(DTYPES))))
        drawn[name] = np.frombuffer(random.bytes(int(np.prod(shape)) * dtype.itemsize), dtype).reshape(shape)
    return drawn


def _build_gguf(drawn: Arrays) -> bytes:
    return build_gguf(
        [GgufTensor(name, DTYPES[a.dtype.name][1], a.shape, a.tobytes()) for name, a in drawn.items()]
    )


def _build_msgpack(drawn: Arrays) -> bytes:
    return pack({name: Leaf(a.shape, a.dtype.name, a.tobytes()) for name, a in drawn.items()})


def _build_safetensors(drawn: Arrays) -> bytes:
    return build_safetensors(
        [Tensor(name, DTYPES[a.dtype.name][0].name, a.shape, a.tobytes()) for name, a in drawn.items()]
    )


def _build_tar(drawn: Arrays) -> bytes:
    return build_tar({"config": b"text", "weights": _build_safetensors(drawn) + bytes(4096)})


BUILDERS: Mapping[str, Callable[[Arrays], bytes]] = {
    "gguf": _build_gguf,
    "msgpack": _build_msgpack,
    "npz": lambda drawn: build_npz(dict(drawn)),
    "safetensors": _build_safetensors,
    "tar": _build_tar,
}


@pytest.mark.parametrize("name", BUILDERS)
@given(drawn=arrays())
def test_every_tensor_is_found_with_its_bytes(name: str, drawn: Arrays) -> None:
    data = BUILDERS[name](drawn)
    found = read_tensors(data)[1]
    assert set(found) == set(drawn)
    for tensor_name, array in drawn.items():
        tensor = found[tensor_name]
        assert cut(data, tensor) == array.tobytes()
        assert (tensor.dtype, tensor.shape) == (DTYPES[array.dtype.name][0], array.shape)


@pytest.mark.parametrize("name", BUILDERS)
@given(
    drawn=arrays(),
    cut_at=st.floats(0, 1),
    flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), max_size=4),
)
def test_damage_is_never_an_error(
    name: str, drawn: Arrays, cut_at: float, flips: list[tuple[float, int]]
) -> None:
    data = bytearray(BUILDERS[name](drawn))
    for place, change in flips:
        data[int(place * (len(data) - 1))] ^= change
    for damaged in (bytes(data), bytes(data[: int(cut_at * len(data))])):
        check_layout(read_layout(MemorySource(damaged)), damaged)
