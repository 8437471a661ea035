"""Torch zips: every tensor that torch.load shows is where the layout says, whatever its dtype, strides and storage."""

import io
import itertools
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor
from torch.utils.serialization import config

from support.layouts import cut, read_tensors
from weightzip.codec.containers import read_layout, torch_zip
from weightzip.codec.containers.torch_claims import settle_torch_claims
from weightzip.codec.containers.torch_zip import list_torch_zip_claims
from weightzip.codec.containers.window_source import WindowSource
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, TensorRange
from weightzip.codec.source import MemorySource

DTYPES = {
    torch.float64: DType.F64,
    torch.float32: DType.F32,
    torch.float16: DType.F16,
    torch.bfloat16: DType.BF16,
    torch.float8_e4m3fn: DType.F8_E4M3,
    torch.float8_e5m2: DType.F8_E5M2,
    torch.float8_e4m3fnuz: DType.F8_E4M3FNUZ,
    torch.float8_e5m2fnuz: DType.F8_E5M2FNUZ,
    torch.float8_e8m0fnu: DType.F8_E8M0,
    torch.bool: DType.BOOL,
    torch.int8: DType.I8,
    torch.uint8: DType.U8,
    torch.int16: DType.I16,
    torch.uint16: DType.U16,
    torch.int32: DType.I32,
    torch.uint32: DType.U32,
    torch.int64: DType.I64,
    torch.uint64: DType.U64,
    torch.complex64: DType.C64,
}


def _save(value: object, **options: Any) -> bytes:
    out = io.BytesIO()
    torch.save(value, out, **options)
    return out.getvalue()


def _list_entries(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as saved:
        return {name.partition("/")[2]: saved.read(name) for name in saved.namelist()}


def _pack(entries: Mapping[str, bytes], deflated: Container[str] = ()) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, content in entries.items():
            packed.writestr(name, content, zipfile.ZIP_DEFLATED if name in deflated else zipfile.ZIP_STORED)
    return out.getvalue()


def _read(data: bytes) -> dict[str, TensorRange]:
    container, tensors = read_tensors(data)
    assert container == ContainerKind.TORCH_ZIP
    return tensors


def _list_tensors(value: object, name: str = "") -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, dict | list | tuple):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _list_tensors(item, f"{name}.{key}" if name else str(key))


def _bytes_of(tensor: torch.Tensor) -> bytes:
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def _check_against_torch(data: bytes) -> Mapping[str, TensorRange]:
    tensors = _read(data)
    expected = dict(_list_tensors(torch.load(io.BytesIO(data))))
    assert tensors.keys() == expected.keys()
    for name, tensor in expected.items():
        assert cut(data, tensors[name]) == _bytes_of(tensor)
        assert (tensors[name].dtype, tensors[name].shape) == (DTYPES[tensor.dtype], tuple(tensor.shape))
    return tensors


def _make_state() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(7, 5), torch.nn.BatchNorm1d(5), torch.nn.Linear(5, 3))
    optimizer = torch.optim.AdamW(module.named_parameters(), lr=0.1)
    module(torch.randn(4, 7)).sum().backward()
    optimizer.step()
    return module, optimizer


def test_state_dict() -> None:
    _check_against_torch(_save(_make_state()[0].state_dict()))


def test_optimizer() -> None:
    module, _ = _make_state()
    optimizer = torch.optim.AdamW(module.parameters())
    optimizer.step()
    tensors = _check_against_torch(_save({"optimizer": optimizer.state_dict()}))
    assert "optimizer.state.0.exp_avg_sq" in tensors


def test_parameters_of_an_optimizer_are_told() -> None:
    module, optimizer = _make_state()
    (claims,) = list_torch_zip_claims([MemorySource(_save({"optimizer": optimizer.state_dict()}))])
    assert claims is not None
    groups = claims.facts.param_groups
    assert [entry.name for entry in groups] == [name for name, _ in module.named_parameters()]
    assert {(entry.path, entry.group) for entry in groups} == {("optimizer", 0)}
    assert [entry.param for entry in groups] == list(range(len(groups)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype: torch.dtype) -> None:
    tensor = torch.arange(1, 13).to(dtype).reshape(3, 4)
    _check_against_torch(_save({"w": tensor}))


def test_complex_numbers_and_pairs_are_numbers() -> None:
    data = _save(
        {
            "c128": torch.randn(3, dtype=torch.complex128),
            "c32": torch.ones(2, 2).to(torch.complex32),
            "conjugate": torch.randn(2, dtype=torch.complex64).conj(),
            "f4": torch.zeros(3, 4, dtype=torch.uint8).view(torch.float4_e2m1fn_x2),
        }
    )
    tensors = _read(data)
    assert (tensors["c128"].dtype, tensors["c128"].shape) == (DType.F64, (3, 2))
    assert (tensors["c32"].dtype, tensors["c32"].shape) == (DType.F16, (2, 2, 2))
    assert (tensors["conjugate"].dtype, tensors["conjugate"].shape) == (DType.C64, (2,))
    assert (tensors["f4"].dtype, tensors["f4"].shape) == (DType.F4, (3, 8))


def test_tied_tensors_have_the_first_name() -> None:
    weight = torch.nn.Parameter(torch.randn(4, 4))
    same = torch.randn(3)
    tensors = _read(_save({"head": weight, "embed": weight, "b": same, "a": same.view(3)}))
    assert sorted(tensors) == ["a", "embed"]


def test_views_that_cover_their_storage_go_before_it() -> None:
    qkv = torch.randn(12, 4)
    data = _save({"qkv": qkv, "q": qkv[:4], "k": qkv[4:8], "v": qkv[8:]})
    tensors = _read(data)
    assert {name: tensor.shape for name, tensor in tensors.items()} == dict.fromkeys("qkv", (4, 4))


def test_a_whole_goes_before_views_that_leave_something() -> None:
    flat = torch.randn(12)
    assert list(_read(_save({"flat": flat, "first": flat[:4], "last": flat[8:]}))) == ["flat"]


def test_what_no_tensor_views_is_the_rest() -> None:
    base = torch.arange(1000.0)
    data = _save({"slice": base[100:400].reshape(3, 100)})
    tensors = _read(data)
    assert list(tensors) == ["slice.rest", "slice", "slice.rest#1"]
    assert b"".join(cut(data, tensor) for tensor in tensors.values()) == _bytes_of(base)
    assert tensors["slice"].shape == (3, 100)
    assert {tensor.dtype for tensor in tensors.values()} == {DType.F32}


def test_transposed_tensors_are_in_the_order_of_memory() -> None:
    transposed = torch.randn(3, 5).t()
    channels_last = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
    data = _save({"t": transposed, "c": channels_last})
    tensors = _read(data)
    assert (tensors["t"].shape, tensors["c"].shape) == ((3, 5), (2, 4, 5, 3))
    assert cut(data, tensors["t"]) == _bytes_of(transposed.t())
    assert cut(data, tensors["c"]) == _bytes_of(channels_last.permute(0, 2, 3, 1))


def test_strided_and_expanded_tensors_are_their_storage() -> None:
    matrix = torch.randn(6, 10)
    data = _save({"columns": matrix[:, :3], "expanded": torch.ones(1).expand(100)})
    tensors = _read(data)
    assert (tensors["columns"].shape, tensors["expanded"].shape) == ((60,), (1,))
    assert cut(data, tensors["columns"]) == _bytes_of(matrix)


def test_names_lead_through_lists_objects_and_wrappers() -> None:
    module = torch.nn.Sequential(OrderedDict(first=torch.nn.Linear(2, 2)))
    module.register_buffer("steps", torch.zeros(3))
    data = _save(
        {
            "groups": [{"x": torch.zeros(1)}, (torch.ones(2),)],
            7: torch.nn.Parameter(torch.ones(4)),
            "m": module,
        }
    )
    assert sorted(_read(data)) == [
        "7",
        "groups.0.x",
        "groups.1.0",
        "m.first.bias",
        "m.first.weight",
        "m.steps",
    ]


def test_sparse_tensors_are_their_parts() -> None:
    data = _save({"coo": torch.eye(3).to_sparse(), "csr": torch.eye(3).to_sparse_csr()})
    assert {"coo.indices", "coo.values", "csr.crow_indices", "csr.col_indices", "csr.values"} <= set(
        _read(data)
    )


def test_quantized_tensors() -> None:
    quantized = torch.quantize_per_tensor(torch.arange(6.0), 0.1, 0, torch.qint8)
    tensors = _read(_save({"q": quantized}))
    assert (tensors["q"].dtype, tensors["q"].shape) == (DType.I8, (6,))


class Scaled(torch.Tensor):
    """A wrapper of two tensors, as DTensor and quantised tensors are: it has no storage of its own."""

    codes: torch.Tensor
    _local_tensor: torch.Tensor

    @classmethod
    def __torch_dispatch__(cls, *_: object) -> None:
        raise NotImplementedError

    @classmethod
    def wrap(cls, codes: torch.Tensor, scale: torch.Tensor) -> "Scaled":
        made: Scaled = torch.Tensor._make_wrapper_subclass(cls, codes.shape, dtype=torch.float32)
        made.codes, made._local_tensor = codes, scale
        return made


def test_wrappers_show_what_they_hold() -> None:
    codes, scale = torch.arange(6, dtype=torch.uint8), torch.randn(2)
    data = _save({"state": {0: {"exp_avg": Scaled.wrap(codes, scale)}}})
    tensors = _read(data)
    assert sorted(tensors) == ["state.0.exp_avg", "state.0.exp_avg.codes"]
    assert cut(data, tensors["state.0.exp_avg.codes"]) == _bytes_of(codes)
    assert cut(data, tensors["state.0.exp_avg"]) == _bytes_of(scale)


@pytest.fixture
def mesh(tmp_path: Path) -> Iterator[DeviceMesh]:
    """Yield a mesh of this process alone."""
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/meeting", rank=0, world_size=1)
    try:
        yield init_device_mesh("cpu", (1,))
    finally:
        dist.destroy_process_group()


def test_distributed_tensors_go_by_their_own_name(mesh: DeviceMesh) -> None:
    local = torch.randn(6, 3)
    data = _save({"w": distribute_tensor(local, mesh, [Shard(0)])})
    tensors = _read(data)
    assert (tensors["w"].shape, cut(data, tensors["w"])) == ((6, 3), _bytes_of(local))


def test_tensors_with_attributes() -> None:
    tensor = torch.randn(3)
    tensor.main_grad = torch.ones(5)  # type: ignore[attr-defined]
    tensors = _read(_save({"w": tensor}))
    assert {name: found.shape for name, found in tensors.items()} == {"w": (3,), "w.main_grad": (5,)}


def test_bare_tensors_and_storages() -> None:
    assert list(_read(_save(torch.ones(3)))) == ["tensor"]
    tensors = _read(_save({"s": torch.ones(3).untyped_storage()}))
    assert (tensors["s"].dtype, tensors["s"].shape) == (DType.U8, (12,))


def test_files_without_tensors_are_torch_zips() -> None:
    assert _read(_save({"step": 3, "name": "x"})) == {}
    assert _read(_save({"empty": torch.ones(0, 4)})) == {}


def test_checksums_and_alignment_do_not_matter() -> None:
    state = {"a": torch.randn(3), "b": torch.randn(300)}
    try:
        torch.serialization.set_crc32_options(False)
        config.save.storage_alignment = 4096
        data = _save(state)
    finally:
        torch.serialization.set_crc32_options(True)
        config.save.storage_alignment = 64
    tensors = _check_against_torch(data)
    assert all(tensor.offset % 4096 == 0 for tensor in tensors.values())


def test_big_endian_files_have_opaque_tensors() -> None:
    data = _save({"w": torch.randn(5)})
    assert data.count(b"little") == 1
    offset = data.index(b"little")
    big = data[:offset] + b"big\0\0\0" + data[offset + 6 :]
    tensors = _read(big)
    assert [(tensor.name, tensor.dtype) for tensor in tensors.values()] == [("w", DType.OPAQUE)]


def test_old_archives_have_storages_in_any_order_and_other_folders() -> None:
    entries = _list_entries(_save({str(number): torch.full((2,), number) for number in range(12)}))
    names = ["version", *sorted(name for name in entries if name.startswith("data"))]
    data = _pack({f"my.model.v2/{name}": entries[name] for name in names})
    tensors = _read(data)
    assert [int(name) for name in tensors] == sorted(range(12), key=str)
    assert struct.unpack("<2q", cut(data, tensors["11"])) == (11, 11)


def test_deflated_storages_are_glue() -> None:
    entries = _list_entries(_save({"a": torch.zeros(100), "b": torch.ones(100)}))
    data = _pack({f"x/{name}": content for name, content in entries.items()}, deflated={"x/data/0"})
    assert list(_read(data)) == ["b"]


def test_constants_of_scripts() -> None:
    weights, constants = (
        _list_entries(_save({"weight": torch.zeros(4)})),
        _list_entries(_save([torch.ones(2)])),
    )
    data = _pack(
        {f"script/{name}": content for name, content in weights.items()}
        | {f"script/{name.replace('data', 'constants')}": constants[name] for name in ("data.pkl", "data/0")}
    )
    tensors = _read(data)
    assert list(tensors) == ["weight", "constants.0"]
    assert cut(data, tensors["constants.0"]) == _bytes_of(torch.ones(2))


def test_windows_of_a_file_are_read_together() -> None:
    parts = [_save(torch.arange(float(size))) for size in (1, 20, 300)]
    source = MemorySource(b"front" + b"".join(parts))
    offsets = itertools.accumulate(map(len, parts[:-1]), initial=5)
    windows = [WindowSource(source, offset, len(part)) for offset, part in zip(offsets, parts, strict=True)]
    windows.insert(1, WindowSource(source, 0, 100))
    claims = list_torch_zip_claims(windows)
    assert claims[1] is None
    for part, found in zip(parts, [claims[0], *claims[2:]], strict=True):
        assert found is not None
        assert [(claim.name, cut(part, claim)) for claim in found.tensors] == [
            ("", _bytes_of(torch.load(io.BytesIO(part))))
        ]


@pytest.mark.parametrize("seed", range(5))
def test_damage_is_no_error(seed: int) -> None:
    _, optimizer = _make_state()
    data = _save({"a": torch.randn(3), "t": torch.randn(2, 3).t(), "optimizer": optimizer.state_dict()})
    random = Random(seed)
    damaged = [_damage(data, random) for _ in range(300)]
    claims = list_torch_zip_claims([MemorySource(data), *map(MemorySource, damaged)])
    assert claims[0] is not None and claims.count(None) > 100
    for found in filter(None, claims):
        assert all(tensor.end <= len(data) for tensor in settle_torch_claims(found, len(data)))


def _damage(data: bytes, random: Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 4])):
        damaged[random.randrange(len(data))] ^= random.choice([1 << random.randrange(8), 0xFF])
    return bytes(damaged)


def test_one_tensor_under_a_million_names_is_no_torch_zip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_zip, "_MAX_CLAIMS", 10)
    tensor = torch.arange(8.0)
    nine, ten = (_save({"t": [tensor] * n_names}) for n_names in (9, 10))
    claims = [list_torch_zip_claims([MemorySource(data)]) for data in (nine, ten)]
    assert [claim is None for (claim,) in claims] == [False, True]
    assert list_torch_zip_claims([MemorySource(nine)] * 2) == [None, None]


def test_truncated_files_are_opaque() -> None:
    data = _save({"a": torch.randn(3)})
    kinds = {read_layout(MemorySource(data[:n_bytes])).container for n_bytes in range(0, len(data), 3)}
    assert kinds == {ContainerKind.OPAQUE}
