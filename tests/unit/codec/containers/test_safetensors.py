"""safetensors headers: what is read from good ones, and that bad ones make a file opaque instead of an error."""

import json
import struct
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from safetensors.numpy import save

from shards.build import Tensor, build_safetensors
from weightzip.codec.containers import read_layout
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, TensorRange
from weightzip.codec.source import MemorySource

F32 = Tensor("w", "F32", (2, 3), bytes(24))


def _read(data: bytes) -> tuple[ContainerKind, tuple[TensorRange, ...]]:
    layout = read_layout(MemorySource(data))
    assert layout.file_bytes == len(data)
    return layout.container, layout.tensors


def _with_header(header: object, data: bytes = bytes(64)) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_tensors_are_where_the_library_puts_them() -> None:
    arrays: dict[str, npt.NDArray[Any]] = {
        "b": np.arange(6, dtype=np.float32).reshape(2, 3),
        "a": np.arange(4, dtype=np.int64),
    }
    data = save(arrays)
    container, tensors = _read(data)
    assert container == ContainerKind.SAFETENSORS
    for tensor in tensors:
        assert data[tensor.offset : tensor.end] == arrays[tensor.name].tobytes()
        assert tensor.shape == arrays[tensor.name].shape


@pytest.mark.parametrize("pad", [True, False])
def test_headers_need_no_padding_and_data_may_have_holes(pad: bool) -> None:
    data = build_safetensors([F32, Tensor("v", "BF16", (1,), b"ab")], pad=pad, hole_bytes=3)
    container, (w, v) = _read(data)
    assert container == ContainerKind.SAFETENSORS
    assert (data[v.offset : v.end], v.offset - w.end) == (b"ab", 3)


@pytest.mark.parametrize(
    ("dtype", "shape", "n_bytes", "expected"),
    [
        ("F4", (4,), 2, DType.F4),
        ("F6_E2M3", (4,), 3, DType.F6_E2M3),
        ("F8_E4M3FNUZ", (4,), 4, DType.F8_E4M3FNUZ),
        ("C64", (1,), 8, DType.C64),
        ("F128", (1,), 16, DType.OPAQUE),
        ("OPAQUE", (1,), 16, DType.OPAQUE),
        ("F32", (5,), 16, DType.OPAQUE),
    ],
)
def test_dtypes_that_fit_their_bytes_are_known(
    dtype: str, shape: tuple[int, ...], n_bytes: int, expected: DType
) -> None:
    _, (tensor,) = _read(build_safetensors([Tensor("t", dtype, shape, bytes(n_bytes))]))
    assert (tensor.dtype, tensor.shape, tensor.n_bytes) == (expected, shape, n_bytes)


def _entry(**changes: object) -> dict[str, object]:
    return {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]} | changes


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00",
        bytes(8),
        struct.pack("<Q", 1 << 63) + b"{}",
        struct.pack("<Q", 3) + b"{}",
        _with_header(b"[]"),
        _with_header(b"{"),
        _with_header(b"{}}"),
        _with_header(b'{"a":' * 100_000),
        _with_header(b'{"a": ' + b"9" * 5000 + b"}"),
        _with_header(b'{"a": "\xff"}'),
        _with_header({"t": 1}),
        _with_header({"t": _entry(dtype=1)}),
        _with_header({"t": _entry(shape=[-4])}),
        _with_header({"t": _entry(shape=[4.0])}),
        _with_header({"t": _entry(shape=[True])}),
        _with_header({"t": _entry(shape=[1] * 256)}),
        _with_header({"t": _entry(shape=[1 << 64])}),
        _with_header({"t": _entry(data_offsets=[4, 0])}),
        _with_header({"t": _entry(data_offsets=[-4, 0])}),
        _with_header({"t": _entry(data_offsets=[0, 65])}),
        _with_header({"t": _entry(data_offsets=[0])}),
        _with_header({"t": _entry(), "u": _entry(data_offsets=[3, 7])}),
        _with_header({"\ud800": _entry()}),
        _with_header(b'{"t": %b, "t": %b}' % ((json.dumps(_entry()).encode(),) * 2)),
        pytest.param(
            _with_header({"t": _entry(dtype="X", shape=[1] * 255, more=[[]] * 2_000_000)}), id="huge"
        ),
    ],
)
def test_what_makes_no_sense_is_opaque(data: bytes) -> None:
    assert _read(data) == (ContainerKind.OPAQUE, ())


def test_a_file_without_tensors_is_still_safetensors() -> None:
    assert _read(_with_header({"__metadata__": {"format": "pt"}}, b"")) == (ContainerKind.SAFETENSORS, ())
