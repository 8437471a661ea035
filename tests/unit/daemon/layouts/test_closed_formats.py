"""Two hundred random cuts of a file of each format: all are found, by the file itself or by the one that lists it."""

import io
import pickle
import random
import struct
import tarfile
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.distributed.checkpoint.state_dict_saver import save as save_dcp

from weightzip.daemon.layouts.closed import check_closed, gather_evidence
from weightzip.daemon.watch.scan import look_at

N_CUTS = 200
PADDING_BYTES = 10240  # of a tar: what is cut there leaves every file whole
TENSORS = {"a": torch.arange(300, dtype=torch.float32), "b": torch.ones(50, dtype=torch.bfloat16)}


def make_torch(*, legacy: bool) -> bytes:
    buffer = io.BytesIO()
    torch.save({"state": TENSORS, "step": 3}, buffer, _use_new_zipfile_serialization=not legacy)
    return buffer.getvalue()


def make_npy() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.arange(100, dtype=np.float32).reshape(10, 10))
    return buffer.getvalue()


def make_npz() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, a=np.arange(100), b=np.ones(7))
    return buffer.getvalue()


def make_gguf() -> bytes:
    name, data = b"w", np.arange(64, dtype="<f4").tobytes()
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 0)
    head += struct.pack("<Q", len(name)) + name + struct.pack("<IQIQ", 1, 64, 0, 0)
    return head + bytes(-len(head) % 32) + data


def make_msgpack() -> bytes:
    data = np.arange(60, dtype="<f4").tobytes()
    array = b"\x93\x91\x3c\xa7float32\xc4" + bytes([len(data)]) + data
    return b"\x81\xa6params\x81\xa1w\xc8" + struct.pack(">H", len(array)) + b"\x01" + array


def make_tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in ("model_config.yaml", "model_weights.ckpt"):
            member = tarfile.TarInfo(name)
            member.size = 700
            archive.addfile(member, io.BytesIO(bytes(range(1, 201)) * 4))
    return buffer.getvalue()


WHOLE = {
    "optimizer.pt": make_torch(legacy=False),
    "old.pt": make_torch(legacy=True),
    "plain.pkl": pickle.dumps({"step": 3, "names": [str(number) for number in range(200)]}, protocol=4),
    "array.npy": make_npy(),
    "arrays.npz": make_npz(),
    "model.gguf": make_gguf(),
    "model.msgpack": make_msgpack(),
    "checkpoint_12": make_msgpack(),
    "model.nemo": make_tar(),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_file_is_proven(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(WHOLE[name])
    closure = check_closed(tmp_path / name, trust_kernel=True)
    assert closure.problem is None
    assert closure.proven


@pytest.mark.parametrize(
    "name",
    # Each cut of an old file asks a child process.
    [pytest.param(name, marks=pytest.mark.slow) if name == "old.pt" else name for name in WHOLE],
)
def test_every_cut_is_noticed(tmp_path: Path, name: str) -> None:
    data, path = WHOLE[name], tmp_path / name
    for length in random.Random(name).sample(range(len(data)), min(N_CUTS, len(data))):
        path.write_bytes(data[:length])
        closure = check_closed(path, trust_kernel=True)
        assert not closure.proven, f"cut at {length}"
        if name != "model.nemo" or length < len(data) - PADDING_BYTES:
            assert closure.problem is not None, f"cut at {length}"


@pytest.mark.parametrize("n_cuts", [10, pytest.param(N_CUTS, marks=pytest.mark.slow)])
def test_a_cut_shard_of_a_distributed_checkpoint_is_told_by_its_metadata(tmp_path: Path, n_cuts: int) -> None:
    folder = tmp_path / "step-3"
    save_dcp(TENSORS, checkpoint_id=folder, no_dist=True)
    shard = next(folder.glob("*.distcp"))
    data = shard.read_bytes()
    assert find_problem(tmp_path) is None
    for length in [0, *random.Random(3).sample(range(len(data)), n_cuts)]:
        shard.write_bytes(data[:length])
        problem = find_problem(tmp_path)
        assert problem is not None
        assert f"it has {length}" in problem
    shard.write_bytes(data)
    metadata = folder / ".metadata"
    data = metadata.read_bytes()
    for length in random.Random(4).sample(range(len(data)), n_cuts):
        metadata.write_bytes(data[:length])
        assert find_problem(tmp_path) is not None, f"cut at {length}"


def test_a_metadata_that_no_reader_understands_is_closed_if_it_ends(tmp_path: Path) -> None:
    folder = tmp_path / "step-3"
    folder.mkdir()
    for n_bytes in (10, 5 << 20):
        data = pickle.dumps(bytes(n_bytes), protocol=4)
        (folder / ".metadata").write_bytes(data)
        assert find_problem(tmp_path) is None
        (folder / ".metadata").write_bytes(data[:-1])
        assert find_problem(tmp_path) == ".metadata is a pickle that is cut off"


def test_files_that_a_metadata_names_are_evidence(tmp_path: Path) -> None:
    folder = tmp_path / "step-3"
    save_dcp(TENSORS, checkpoint_id=folder, no_dist=True)
    shard = next(folder.glob("*.distcp"))
    shard.unlink()
    sighting = look_at(tmp_path, "step-3", ())
    assert sighting is not None
    assert gather_evidence(folder, sighting, trust_kernel=True).named == {
        ".metadata": frozenset({shard.name})
    }


def test_deepspeed_tells_its_ranks(tmp_path: Path) -> None:
    folder = tmp_path / "global_step3"
    folder.mkdir()
    state = {
        "optimizer_state_dict": {"partition_count": [4, 2], "single_partition_of_fp32_groups": [TENSORS["a"]]}
    }
    torch.save(state, folder / "zero_pp_rank_0_mp_rank_00_optim_states.pt")
    torch.save({"module": TENSORS, "mp_world_size": 2}, folder / "mp_rank_00_model_states.pt")
    sighting = look_at(tmp_path, "global_step3", ())
    assert sighting is not None
    evidence = gather_evidence(folder, sighting, trust_kernel=True)
    assert evidence.n_ranks == {"": {"partition_count": 4, "mp_world_size": 2}}


def find_problem(root: Path) -> str | None:
    sighting = look_at(root, "step-3", ())
    assert sighting is not None
    return gather_evidence(root / "step-3", sighting, trust_kernel=True).problem
