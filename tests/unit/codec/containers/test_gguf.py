"""GGUF files: where tensors of known, quantised and unknown types lie, and what makes no sense is opaque."""

import struct

import pytest

from shards.gguf import ARRAY, STRING, GgufTensor, build_gguf, build_small_gguf, pack_number, pack_string
from support.layouts import cut, read_tensors
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind

F32 = GgufTensor("w", 0, (2, 3), bytes(range(24)))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("alignment", [32, 64, 8])
def test_tensors_lie_where_they_were_put(version: int, alignment: int) -> None:
    tensors = [F32, GgufTensor("v", 30, (5,), bytes(range(10))), GgufTensor("q", 8, (3, 32), bytes(102))]
    pairs = [pack_number("general.alignment", alignment)]
    data = build_gguf(tensors, pairs=pairs, version=version, alignment=alignment)
    container, found = read_tensors(data)
    assert container == ContainerKind.GGUF
    assert [(name, cut(data, found[name])) for name in found] == [(t.name, t.data) for t in tensors]
    assert [tensor.dtype for tensor in found.values()] == [DType.F32, DType.BF16, DType.OPAQUE]
    assert [tensor.shape for tensor in found.values()] == [t.shape for t in tensors]


def test_a_type_to_come_reaches_up_to_the_next_tensor() -> None:
    data = build_gguf([GgufTensor("new", 99, (64,), bytes(range(40))), F32])
    found = read_tensors(data)[1]
    assert (found["new"].n_bytes, found["new"].dtype) == (64, DType.OPAQUE)
    assert cut(data, found["w"]) == F32.data


def test_the_order_of_the_table_is_not_that_of_the_data() -> None:
    data = build_gguf([F32, GgufTensor("v", 0, (8,), bytes(range(32)))], reverse_table=True)
    assert list(read_tensors(data)[1]) == ["w", "v"]


def test_a_vocabulary_alone_is_a_file_without_tensors() -> None:
    assert read_tensors(build_gguf([])) == (ContainerKind.GGUF, {})


def _with_counts(n_tensors: int, n_pairs: int, rest: bytes = bytes(64)) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, n_tensors, n_pairs) + rest


NESTED = pack_string("k") + struct.pack("<I", ARRAY) + struct.pack("<IQ", ARRAY, 1) * 1000


@pytest.mark.parametrize(
    "data",
    [
        b"GGUF",
        build_gguf([F32], version=1),
        build_gguf([F32], version=1 << 24),
        build_gguf([F32])[:-9],
        build_gguf([GgufTensor("w", 0, (1 << 62, 1 << 62), bytes(8))]),
        build_gguf([GgufTensor("w", 0, (1,) * 9, bytes(4))]),
        build_gguf([F32], pairs=[pack_number("general.alignment", 0)]),
        build_gguf([F32], pairs=[pack_string("k") + struct.pack("<I", 77)]),
        build_gguf(
            [
                GgufTensor(
                    "\ud800".encode("utf-8", "surrogatepass").decode("latin-1") + "w", 0, (1 << 40,), b""
                )
            ]
        ),
        _with_counts(1 << 63, 0),
        _with_counts(1, 1 << 63),
        _with_counts(0, 1, pack_string("k") + struct.pack("<IIQ", ARRAY, STRING, 1 << 60)),
        _with_counts(0, 1, pack_string("k") + struct.pack("<IIQ", ARRAY, 0, 1 << 60)),
        _with_counts(0, 1, struct.pack("<Q", 1 << 60)),
        _with_counts(0, 1, NESTED),
    ],
)
def test_what_makes_no_sense_is_opaque(data: bytes) -> None:
    assert read_tensors(data) == (ContainerKind.OPAQUE, {})


def test_every_truncation_is_opaque() -> None:
    data = build_small_gguf()
    n_padding = 16  # behind the last tensor, which is whole without it
    assert all(read_tensors(data[:size])[0] == ContainerKind.OPAQUE for size in range(len(data) - n_padding))
