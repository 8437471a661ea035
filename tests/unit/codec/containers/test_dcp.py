"""`.distcp` files: names from the metadata beside them, what the file alone tells, and what does not fit."""

import shutil
from pathlib import Path

import pytest
import torch
from torch.distributed.checkpoint.state_dict_saver import save

from shards.dcp import Item, save_bytes, write_dcp
from weightzip.codec.containers import DirectorySurroundings, dcp_metadata, read_layout
from weightzip.codec.containers.pickles import DcpMetadata, read_dcp_metadata
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, Layout
from weightzip.codec.source import FileSource, MemorySource

FILE = "__0_0.distcp"
W = torch.arange(24, dtype=torch.float32).reshape(4, 6)
V = torch.arange(10, dtype=torch.bfloat16)


def _read(path: Path) -> Layout:
    with FileSource(path) as source:
        return read_layout(source, DirectorySurroundings(path))


def _cut(path: Path, layout: Layout) -> dict[str, bytes]:
    data = path.read_bytes()
    return {tensor.name: data[tensor.offset : tensor.end] for tensor in layout.tensors}


def _to_bytes(tensor: torch.Tensor) -> bytes:
    return tensor.contiguous().view(torch.uint8).numpy().tobytes()


def test_a_real_save_is_named_as_its_state_dict(tmp_path: Path) -> None:
    model = torch.nn.Linear(6, 4).bfloat16()
    state = {"model": model.state_dict(), "lr": 0.1, "moments": {"exp_avg": W, "step": torch.tensor(3.0)}}
    save(state, checkpoint_id=tmp_path, no_dist=True)
    layout = _read(tmp_path / FILE)
    assert layout.container == ContainerKind.DCP
    assert _cut(tmp_path / FILE, layout) == {
        "model.weight": _to_bytes(model.weight.detach()),
        "model.bias": _to_bytes(model.bias.detach()),
        "moments.exp_avg": _to_bytes(W),
        "moments.step": _to_bytes(torch.tensor([3.0])),
    }
    assert {tensor.name: tensor.shape for tensor in layout.tensors}["model.weight"] == (4, 6)


def test_fragments_of_a_tensor_are_named_by_their_offsets(tmp_path: Path) -> None:
    files = {
        FILE: [Item("lr", 0.1), Item("w", W, (0, 0)), Item("v", V)],
        "__1_0.distcp": [Item("w", W + 1, (4, 0))],
    }
    write_dcp(tmp_path, files)
    assert list(_cut(tmp_path / FILE, _read(tmp_path / FILE))) == ["w[0,0]", "v"]
    second = _read(tmp_path / "__1_0.distcp")
    assert second.container == ContainerKind.DCP
    assert _cut(tmp_path / "__1_0.distcp", second) == {"w[4,0]": _to_bytes(W + 1)}


def test_metadata_of_one_rank_name_its_files(tmp_path: Path) -> None:
    write_dcp(tmp_path, {"__3_1.distcp": [Item("w", W), Item("v", V)]}, metadata_name="__3.metadata")
    assert list(_cut(tmp_path / "__3_1.distcp", _read(tmp_path / "__3_1.distcp"))) == ["w", "v"]


def test_tensors_within_other_objects_are_named_by_both(tmp_path: Path) -> None:
    nested = {"state": [{"exp_avg": W}]}
    write_dcp(tmp_path, {FILE: [Item("param_state", nested), Item("raw", b"no zip"), Item("v", V)]})
    assert list(_cut(tmp_path / FILE, _read(tmp_path / FILE))) == ["param_state.state.0.exp_avg", "v"]


def test_transformed_items_are_glue(tmp_path: Path) -> None:
    write_dcp(tmp_path, {FILE: [Item("w", W, transforms=("stream.zstd/1",)), Item("v", V)]})
    assert list(_cut(tmp_path / FILE, _read(tmp_path / FILE))) == ["v"]


def test_dtypes_that_torch_counts_otherwise_fit(tmp_path: Path) -> None:
    files = [
        Item("c", torch.zeros(3, dtype=torch.complex64)),
        Item("big", torch.zeros(3, dtype=torch.complex128)),
    ]
    write_dcp(
        tmp_path, {FILE: [*files, Item("t", W.t()), Item("f8", torch.zeros(8).to(torch.float8_e4m3fn))]}
    )
    layout = _read(tmp_path / FILE)
    assert [(tensor.name, tensor.dtype, tensor.n_bytes) for tensor in layout.tensors] == [
        ("c", DType.C64, 24),
        ("big", DType.F64, 48),
        ("t", DType.F32, 96),
        ("f8", DType.F8_E4M3, 8),
    ]


@pytest.mark.parametrize(
    "other",
    [
        [Item("w", W[:2]), Item("v", V)],
        [Item("w", W), Item("v", V), Item("u", V)],
        [Item("w", W.double()[:2]), Item("v", V)],
        [Item("w", W.int()), Item("v", V)],
    ],
)
def test_metadata_of_another_save_name_nothing(tmp_path: Path, other: list[Item]) -> None:
    write_dcp(tmp_path, {FILE: other})
    stale = (tmp_path / ".metadata").read_bytes()
    write_dcp(tmp_path, {FILE: [Item("w", W), Item("v", V)]})
    (tmp_path / ".metadata").write_bytes(stale)
    assert _cut(tmp_path / FILE, _read(tmp_path / FILE)) == {"item.0": _to_bytes(W), "item.1": _to_bytes(V)}


def test_damaged_metadata_name_nothing(tmp_path: Path) -> None:
    write_dcp(tmp_path, {FILE: [Item("w", W), Item("v", V)]})
    (tmp_path / ".metadata").write_bytes((tmp_path / ".metadata").read_bytes()[:-20])
    assert list(_cut(tmp_path / FILE, _read(tmp_path / FILE))) == ["item.0", "item.1"]


def test_without_metadata_items_are_numbered(tmp_path: Path) -> None:
    write_dcp(tmp_path, {FILE: [Item("lr", 0.1), Item("w", W), Item("v", V)]})
    (tmp_path / ".metadata").unlink()
    layout = _read(tmp_path / FILE)
    assert layout.container == ContainerKind.DCP
    assert _cut(tmp_path / FILE, layout) == {"item.1": _to_bytes(W), "item.2": _to_bytes(V)}


def test_truncations_are_opaque(tmp_path: Path) -> None:
    write_dcp(tmp_path, {FILE: [Item("w", W), Item("v", V)]})
    whole = (tmp_path / FILE).read_bytes()
    first_bytes = len(save_bytes(W))
    for size in {
        0,
        1,
        100,
        first_bytes - 1,
        first_bytes + 1,
        len(whole) - 98,
        len(whole) - 22,
        len(whole) - 1,
    }:
        (tmp_path / FILE).write_bytes(whole[:size])
        assert _read(tmp_path / FILE) == Layout(ContainerKind.OPAQUE, size, ())


def test_files_of_a_checkpoint_share_what_was_read_of_the_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def count(pickle: bytes) -> DcpMetadata | None:
        read.append(len(pickle))
        return read_dcp_metadata(pickle)

    monkeypatch.setattr(dcp_metadata, "read_dcp_metadata", count)
    files = {f"__{rank}_0.distcp": [Item(f"w{rank}", W)] for rank in range(5)}
    write_dcp(tmp_path / "first", files)
    shutil.copytree(tmp_path / "first", tmp_path / "second")
    for folder in ("first", "second"):
        for name in files:
            assert len(_read(tmp_path / folder / name).tensors) == 1
    assert len(read) == 1


def test_a_lone_zip_is_a_torch_zip() -> None:
    assert read_layout(MemorySource(save_bytes(W))).container == ContainerKind.TORCH_ZIP
