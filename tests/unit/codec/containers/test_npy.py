"""npy files as NumPy writes them, and headers that make no sense."""

import struct

import numpy as np
import numpy.typing as npt
import pytest

from shards.numpy_files import build_npy
from support.layouts import cut, read_tensors
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("<f4", DType.F32),
        ("<f2", DType.F16),
        ("<i8", DType.I64),
        ("u1", DType.U8),
        ("?", DType.BOOL),
        ("<c8", DType.C64),
        (">f4", DType.OPAQUE),
        ("<c16", DType.OPAQUE),
        ("<f16", DType.OPAQUE),
        ("<U5", DType.OPAQUE),
        ("S5", DType.OPAQUE),
        ("<M8[ns]", DType.OPAQUE),
        ("V1", DType.OPAQUE),
    ],
)
def test_the_array_lies_where_numpy_puts_it(dtype: str, expected: DType) -> None:
    array = np.zeros((2, 3), np.dtype(dtype))
    data = build_npy(array)
    container, found = read_tensors(data)
    assert container == ContainerKind.NPY
    assert (found["array"].dtype, found["array"].shape) == (expected, (2, 3))
    assert found["array"].n_bytes == array.nbytes
    assert found["array"].end == len(data)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_all_versions_of_the_header_are_read(version: tuple[int, int]) -> None:
    array = np.arange(6, dtype=np.float32)
    data = build_npy(array, version)
    assert cut(data, read_tensors(data)[1]["array"]) == array.tobytes()


def test_columns_that_lie_together_are_rows_in_reverse() -> None:
    array = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    data = build_npy(array)
    tensor = read_tensors(data)[1]["array"]
    assert tensor.shape == (3, 2)
    assert cut(data, tensor) == array.T.tobytes()


def test_two_nameless_bytes_are_bf16_if_they_look_like_it() -> None:
    random = np.random.default_rng(5)
    weights = random.standard_normal(5000).astype(np.float32).view(np.uint16)[1::2]
    for words, expected in [
        (weights, DType.BF16),
        (np.zeros(5000, np.uint16), DType.BF16),
        (random.standard_normal(5000).astype(np.float16), DType.OPAQUE),
        (random.integers(0, 1 << 16, 5000, np.uint16), DType.OPAQUE),
    ]:
        assert read_tensors(build_npy(words.view("V2")))[1]["array"].dtype == expected


@pytest.mark.parametrize("array", [np.zeros((0, 4), np.float32), np.float32(3)])
def test_scalars_and_nothing_are_arrays_too(array: npt.NDArray[np.float32]) -> None:
    container, found = read_tensors(build_npy(np.asarray(array)))
    assert (container, len(found)) == (ContainerKind.NPY, array.size)


def _with_header(text: str, n_bytes: int = 64) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + bytes(n_bytes)


GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"


def test_headers_need_no_padding() -> None:
    assert read_tensors(_with_header(GOOD))[1]["array"].shape == (2, 3)


@pytest.mark.parametrize(
    "data",
    [
        b"\x93NUMPY",
        b"\x93NUMPY\x02\x00\x01",
        _with_header(GOOD, n_bytes=23),
        b"\x93NUMPY\x04\x00" + _with_header(GOOD)[8:],
        build_npy(np.array([None, 1], dtype=object)),
        build_npy(np.zeros(3, np.dtype([("a", "<f4"), ("b", "<i2")]))),
        _with_header(GOOD.replace("2, 3", "2, " + "1, " * 64)),
        _with_header(GOOD.replace("2, 3", "9" * 5000)),
        _with_header(GOOD.replace("2, 3", "9" * 19)),
        _with_header(GOOD.replace("2, 3", "-2, 3")),
        _with_header(GOOD.replace("False", "0")),
        _with_header(GOOD.replace("'shape'", "'form'")),
        _with_header("-" * 9000 + GOOD),
        _with_header("{" * 9000),
        _with_header(GOOD + "__import__('os')"),
        _with_header(GOOD.replace("(2, 3)", "print(2, 3)")),
        pytest.param(_with_header("{" + "'shape': (" * 990), id="slow"),
    ],
)
def test_what_makes_no_sense_is_opaque(data: bytes) -> None:
    assert read_tensors(data) == (ContainerKind.OPAQUE, {})


def test_every_truncation_is_opaque() -> None:
    data = build_npy(np.arange(9, dtype=np.float32))
    assert all(read_tensors(data[:size])[0] == ContainerKind.OPAQUE for size in range(len(data)))
