"""Torch files of old: names come from the object, storages lie one after another, and what does not end with them is opaque."""

import io
import pickle
from typing import Any

import pytest
import torch

from support.layouts import cut, read_tensors
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind


def _save(value: object) -> bytes:
    out = io.BytesIO()
    torch.save(value, out, _use_new_zipfile_serialization=False)
    return out.getvalue()


def _bytes_of(tensor: torch.Tensor) -> bytes:
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


STATE: dict[str, Any] = {
    "a": torch.randn(3, 4),
    "b": torch.arange(5),
    "half": torch.randn(7).half(),
    "step": torch.tensor(3.0),
    "flags": torch.tensor([True, False, True]),
    "c": torch.randn(3, dtype=torch.complex64),
}


def test_tensors_are_what_torch_loads() -> None:
    data = _save(STATE)
    container, tensors = read_tensors(data)
    loaded = torch.load(io.BytesIO(data))
    assert container == ContainerKind.TORCH_LEGACY
    assert tensors.keys() == loaded.keys()
    for name, tensor in loaded.items():
        assert cut(data, tensors[name]) == _bytes_of(tensor)
        assert tensors[name].shape == tuple(tensor.shape)
    assert tensors["c"].dtype == DType.C64


def test_views_share_a_storage() -> None:
    flat = torch.arange(10.0)
    data = _save({"first": flat[:4], "second": flat[4:8], "same": flat[:4]})
    _, tensors = read_tensors(data)
    assert list(tensors) == ["first", "second", "first.rest"]
    assert b"".join(cut(data, tensor) for tensor in tensors.values()) == _bytes_of(flat)


def test_pickles_longer_than_what_is_tried_first() -> None:
    data = _save({"note": "x" * (2 << 20), "w": torch.ones(3)})
    _, tensors = read_tensors(data)
    assert cut(data, tensors["w"]) == _bytes_of(torch.ones(3))


def test_keys_of_old_views_add_their_offset() -> None:
    """Before torch 0.4 a storage could be a view of another, from an element on."""
    front = pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2)
    machine = pickle.dumps({"protocol_version": 1001, "little_endian": True, "type_sizes": {}}, 2)
    view = _refer("7", 4, b"(X\x01\x00\x00\x008K\x02K\x02t")
    tensor = b"ctorch._utils\n_rebuild_tensor\n(" + view + b"K\x01K\x01\x85K\x01\x85tR"
    obj = b"\x80\x02}X\x01\x00\x00\x00w" + tensor + b"s."
    keys = pickle.dumps(["7"], 2)
    storage = (4).to_bytes(8, "little") + _bytes_of(torch.arange(4.0))
    data = front + machine + obj + keys + storage
    _, tensors = read_tensors(data)
    assert cut(data, tensors["w"]) == _bytes_of(torch.tensor([3.0]))


def test_big_endian_machines_have_opaque_tensors() -> None:
    data = _save({"w": torch.ones(3)})
    offset = data.index(b"little_endian") + len(b"little_endian") + 2  # and the memo
    assert data[offset : offset + 1] == b"\x88"
    _, tensors = read_tensors(data[:offset] + b"\x89" + data[offset + 1 :])
    assert [tensor.dtype for tensor in tensors.values()] == [DType.OPAQUE]


@pytest.mark.parametrize(
    "change", [lambda data: data + b"\0", lambda data: data[:-1], lambda data: data[:15]]
)
def test_what_does_not_end_with_its_storages_is_opaque(change: Any) -> None:
    assert read_tensors(change(_save(STATE))) == (ContainerKind.OPAQUE, {})


def test_damage_is_no_error() -> None:
    data = _save({"a": torch.randn(3), "b": torch.randn(2, 3).t()})
    for position in range(0, len(data), 5):
        damaged = bytearray(data)
        damaged[position] ^= 1 << position % 8
        container, tensors = read_tensors(bytes(damaged))
        assert container in {ContainerKind.TORCH_LEGACY, ContainerKind.OPAQUE}
        assert all(tensor.end <= len(data) for tensor in tensors.values())


def _refer(key: str, n_elements: int, view: bytes) -> bytes:
    return (
        b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x00"
        + key.encode()
        + b"X\x03\x00\x00\x00cpuK"
        + bytes([n_elements])
        + view
        + b"tQ"
    )
