"""msgpack files of flax: where arrays lie, whole and in fragments; and what makes no sense is opaque."""

import struct

import pytest

from shards.flax_msgpack import Leaf, build_small_msgpack, pack, pack_fragments
from support.layouts import cut, read_tensors
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind
from weightzip.codec.joining.companions import find_second_moment

KERNEL = Leaf((2, 3), "float32", bytes(range(24)))


def test_arrays_are_named_by_their_path() -> None:
    data = build_small_msgpack()
    container, found = read_tensors(data)
    assert container == ContainerKind.MSGPACK
    assert list(found) == [
        "params.dense.kernel",
        "params.dense.bias",
        "opt_state.0.mu.dense.kernel",
        "opt_state.0.nu.dense.kernel",
    ]
    assert cut(data, found["params.dense.kernel"]) == KERNEL.data
    assert found["params.dense.bias"].dtype == DType.BF16
    first = found["opt_state.0.mu.dense.kernel"]
    assert find_second_moment(first, found) == found["opt_state.0.nu.dense.kernel"]


def test_fragments_are_named_after_the_element_they_begin_with() -> None:
    whole = Leaf((11, 2), "bfloat16", bytes(range(44)))
    data = pack(
        {"embed": pack_fragments(whole, fragment_elements=2, element_bytes=2), "chunks": {"0": KERNEL}}
    )
    found = read_tensors(data)[1]
    assert list(found) == [f"embed[{begin}]" for begin in range(0, 22, 2)] + ["chunks.0"]
    assert b"".join(cut(data, found[name]) for name in list(found)[:-1]) == whole.data


def test_fragments_count_by_number_not_by_place() -> None:
    in_fragments = pack_fragments(Leaf((6,), "uint8", bytes(6)), fragment_elements=4, element_bytes=1)
    in_fragments["chunks"] = dict(reversed(in_fragments["chunks"].items()))
    assert list(read_tensors(pack({"w": in_fragments}))[1]) == ["w[4]", "w[0]"]


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [
        (Leaf((4,), "float8_e4m3fn", bytes(4)), DType.F8_E4M3),
        (Leaf((2,), "complex128", bytes(32)), DType.OPAQUE),
        (Leaf((3,), "float32", bytes(8)), DType.OPAQUE),
    ],
)
def test_dtypes_that_fit_their_bytes_are_known(leaf: Leaf, expected: DType) -> None:
    assert read_tensors(pack({"w": leaf}))[1]["w"].dtype == expected


def _nest(depth: int) -> bytes:
    return b"\x81\xa1k" * depth + pack(KERNEL)


@pytest.mark.parametrize(
    "data",
    [
        b"\x80",
        pack({"no": "array"}),
        pack([KERNEL]),
        pack({"w": KERNEL}) + b"\x00",
        pack({"w": KERNEL})[:-1],
        pack({"w": KERNEL, "x": None})[:-1] + b"\xc1",
        pack({"w": Leaf((1 << 63,), "uint8", bytes(1))}),
        b"\xdf" + struct.pack(">I", 1 << 31) + pack(KERNEL),
        b"\x82\xa1k\xdd" + struct.pack(">I", 1 << 31) + bytes(64),
        b"\x81\xa1k\xc6" + struct.pack(">I", 1 << 31) + bytes(64),
        b"\x81\xa2\xff\xff" + pack(KERNEL),
        b"\x81\xa1k" + b"\xc7\x03\x01\x93\x90\x90",
        _nest(100_000),
    ],
)
def test_what_makes_no_sense_is_opaque(data: bytes) -> None:
    assert read_tensors(data) == (ContainerKind.OPAQUE, {})


def test_nesting_up_to_the_limit_is_read() -> None:
    assert list(read_tensors(_nest(64))[1]) == [".".join("k" * 64)]


def test_every_truncation_is_opaque() -> None:
    data = build_small_msgpack()
    assert all(read_tensors(data[:size])[0] == ContainerKind.OPAQUE for size in range(len(data)))
