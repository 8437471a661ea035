"""tar files: members by every kind of header, tensors at their place in the file, and what makes no sense is opaque."""

import tarfile
from pathlib import Path

import pytest
import torch

from shards.build import build_step
from shards.dcp import Item, save_bytes, write_dcp
from shards.gguf import GgufTensor, build_gguf
from shards.tar_files import build_tar
from support.layouts import cut, read_tensors
from weightzip.codec.containers.tar_directory import list_members
from weightzip.codec.containers.unreadable import Unreadable
from weightzip.codec.format.layout import ContainerKind
from weightzip.codec.source import MemorySource

STEP = build_step(1, n_elements=2000)
FORMATS = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]
LONG = "./" + "a" * 90 + "/" + "b" * 90  # fits ustar, split in two
OVERLONG = "./" + "dir/" * 60 + "é.bin"


@pytest.mark.parametrize("form", FORMATS)
def test_members_are_what_the_library_says(form: int) -> None:
    files = {"./model_config.yaml": b"a: 1\n", LONG: b"long", "./empty": b""}
    if form != tarfile.USTAR_FORMAT:
        files[OVERLONG] = bytes(1000)
    data = build_tar(files, form)
    found = {
        f"./{member.path}": data[member.offset :][: member.n_bytes]
        for member in list_members(MemorySource(data))
    }
    assert found == files


def test_the_tensors_of_an_only_member_keep_their_names() -> None:
    data = build_tar({"./model_config.yaml": b"a: 1\n", "./model_weights.safetensors": STEP})
    container, found = read_tensors(data)
    alone = read_tensors(STEP)[1]
    assert container == ContainerKind.TAR
    assert {name: cut(data, tensor) for name, tensor in found.items()} == {
        name: cut(STEP, tensor) for name, tensor in alone.items()
    }


def test_several_members_with_tensors_have_names_of_their_own() -> None:
    other = build_gguf([GgufTensor("model.half", 0, (2000,), bytes(8000))])
    data = build_tar({"./w/a.safetensors": STEP, "./b.gguf": other})
    found = read_tensors(data)[1]
    assert cut(data, found["b.gguf/model.half"]) == bytes(8000)
    assert "w/a.safetensors/model.half" in found


def test_weights_of_torch_are_found() -> None:
    weights = {"encoder.weight": torch.arange(2000.0), "decoder.bias": torch.arange(2000).half()}
    data = build_tar({"./model_config.yaml": b"a: 1\n", "./model_weights.ckpt": save_bytes(weights)})
    found = read_tensors(data)[1]
    assert {name: cut(data, tensor) for name, tensor in found.items()} == {
        name: tensor.numpy().tobytes() for name, tensor in weights.items()
    }


def test_a_distributed_checkpoint_has_its_metadata_within(tmp_path: Path) -> None:
    write_dcp(tmp_path, {"__0_0.distcp": [Item("w", torch.arange(2000.0)), Item("v", torch.arange(2000))]})
    files = {f"./weights/{path.name}": path.read_bytes() for path in tmp_path.iterdir()}
    assert list(read_tensors(build_tar(files))[1]) == ["w", "v"]


def test_a_tar_in_a_tar_is_glue() -> None:
    assert read_tensors(build_tar({"./inner.tar": build_tar({"w.safetensors": STEP})})) == (
        ContainerKind.TAR,
        {},
    )


def test_sizes_beyond_octal_are_read() -> None:
    member = tarfile.TarInfo("big")
    member.size = 1 << 40
    block = member.tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(Unreadable):  # the file is not that large
        list_members(MemorySource(block + bytes(1024)))
    member.size = -5
    with pytest.raises(Unreadable):
        list_members(MemorySource(member.tobuf(tarfile.GNU_FORMAT) + bytes(1024)))


def _with_pax(record: bytes) -> bytes:
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, len(record)
    member = tarfile.TarInfo("w")
    member.size = 512
    padded = record + bytes(-len(record) % 512)
    return (
        header.tobuf(tarfile.USTAR_FORMAT) + padded + member.tobuf(tarfile.USTAR_FORMAT) + bytes(512 + 1024)
    )


def test_records_say_name_and_size() -> None:
    data = _with_pax(b"13 path=name\n12 size=100\n")
    assert [(m.path, m.n_bytes) for m in list_members(MemorySource(data))] == [("name", 100)]


@pytest.mark.parametrize(
    "record",
    [
        b"13 path=name",
        b"99 path=name\n",
        b"0 path=name\n",
        b"path=name\n",
        b"12 path=\xff\xfe\xfd\n",
        b"13 size=-100\n",
        b"30 size=99999999999999999999999\n",
        b"24 GNU.sparse.size=1000\n",
    ],
)
def test_records_that_make_no_sense_are_refused(record: bytes) -> None:
    with pytest.raises(Unreadable):
        list_members(MemorySource(_with_pax(record)))


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_SPARSE, b"V", b"M", tarfile.GNUTYPE_LONGNAME])
def test_members_of_other_kinds_are_refused(kind: bytes) -> None:
    member = tarfile.TarInfo("w")
    member.type, member.size = kind, 1 << 20
    assert read_tensors(member.tobuf(tarfile.GNU_FORMAT) + bytes((1 << 20) + 1024)) == (
        ContainerKind.OPAQUE,
        {},
    )


def test_truncations_are_opaque() -> None:
    data = build_tar({"./w.safetensors": STEP})
    end = len(data.rstrip(b"\0")) // 512 * 512 + 512 + 1024  # what follows fills the last record
    for size in range(0, end, 97):
        assert read_tensors(data[:size])[0] == ContainerKind.OPAQUE


def test_a_damaged_header_is_opaque() -> None:
    data = bytearray(build_tar({"./w.safetensors": STEP}))
    data[512 + 124] ^= 1  # a size
    assert read_tensors(bytes(data))[0] == ContainerKind.OPAQUE
