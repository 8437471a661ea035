"""Files of one checkpoint that tell of each other: the copy of the weights in bf16 leans on the master weights."""

import json
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest

from support.checkpoints import describe_tree
from weightzip.daemon.checkpoint import FileEntry, hash_file
from weightzip.daemon.jobs.encode import encode_checkpoint
from weightzip.daemon.jobs.predecessor import RawPredecessor, StoredPredecessor
from weightzip.daemon.restore import ObjectCache, restore_checkpoint, verify_repository
from weightzip.daemon.store import Manifest, Repository
from weightzip.daemon.store.encoded import EncodedCheckpoint
from weightzip.daemon.store.memory import MemoryStore

_N_ELEMENTS = 3000


@pytest.fixture
def repository() -> Repository:
    return Repository.open(MemoryStore(), run_id="run", create=True)


def _write_tensor(path: Path, name: str, dtype: str, values: np.ndarray) -> None:
    header = json.dumps(
        {name: {"dtype": dtype, "shape": list(values.shape), "data_offsets": [0, values.nbytes]}}
    ).encode()
    header += b" " * (-len(header) % 8)
    path.write_bytes(struct.pack("<Q", len(header)) + header + values.tobytes())


def _write_pair(root: Path, seed: int, *, copy_of: int | None = None) -> Path:
    """Write master weights that `seed` moves a little, and a truncated copy of them (or of those of another seed)."""
    root.mkdir(parents=True)
    for number, name in ((seed, "optimizer"), (copy_of if copy_of is not None else seed, "model")):
        weights = np.random.default_rng(0).normal(0, 0.02, _N_ELEMENTS)
        weights *= 1 + np.random.default_rng(number).normal(0, 1e-3, _N_ELEMENTS)
        master = weights.astype("<f4").view("<u4")
        if name == "model":
            _write_tensor(root / "model.safetensors", "layer.weight", "BF16", (master >> 16).astype("<u2"))
        else:
            _write_tensor(root / "optimizer.safetensors", "fp32_param.layer.weight", "F32", master)
    return root


def _encode(
    root: Path, workdir: Path, predecessor: RawPredecessor | StoredPredecessor | None = None
) -> EncodedCheckpoint:
    return encode_checkpoint(
        root.name, int(root.name[-1]), root, workdir=workdir, predecessor=predecessor, n_threads=1
    )


def _find(encoded: EncodedCheckpoint | Manifest, path: str) -> FileEntry:
    return next(entry for entry in encoded.entries if entry.path == path)


def test_a_copy_costs_next_to_nothing_and_comes_back_from_the_masters(
    repository: Repository, tmp_path: Path
) -> None:
    root = _write_pair(tmp_path / "source" / "checkpoint-1", 1)
    encoded = _encode(root, tmp_path / "work")
    model, optimizer = (
        encoded.archives[_find(encoded, f"{name}.safetensors").digest or ""]
        for name in ("model", "optimizer")
    )
    assert model.beside_digests == (_find(encoded, "optimizer.safetensors").digest,)
    assert optimizer.beside_digests == ()
    assert model.size_bytes < 1000 < model.file_bytes
    report = repository.publish(encoded)
    assert report.manifest.chain_depth == 0
    assert verify_repository(repository, depth="full").ok
    restored = restore_checkpoint(repository, "latest", tmp_path / "target")
    assert describe_tree(restored.path) == describe_tree(root)


@pytest.mark.parametrize("stored", [False, True], ids=["raw predecessor", "stored predecessor"])
def test_an_unchanged_copy_still_finds_the_masters_that_it_was_made_from(
    repository: Repository, tmp_path: Path, stored: bool
) -> None:
    first = _write_pair(tmp_path / "source" / "checkpoint-1", 1)
    manifest = repository.publish(_encode(first, tmp_path / "work-1")).manifest
    second = _write_pair(tmp_path / "source" / "checkpoint-2", 2, copy_of=1)
    cached = StoredPredecessor(manifest, repository, ObjectCache(tmp_path / "cache", 1 << 30))
    encoded = _encode(second, tmp_path / "work-2", cached if stored else RawPredecessor(manifest, first))
    assert len(encoded.new_archives) == 1
    assert hash_file(first / "optimizer.safetensors") in encoded.archives
    repository.publish(encoded)
    shutil.rmtree(first)
    restored = restore_checkpoint(repository, "latest", tmp_path / "target")
    assert describe_tree(restored.path) == describe_tree(second)
    assert verify_repository(repository, depth="full").ok


def test_an_interrupted_encoding_takes_over_a_copy_with_its_masters(tmp_path: Path) -> None:
    root = _write_pair(tmp_path / "checkpoint-1", 1)
    before = _encode(root, tmp_path / "work")
    written = {path: path.stat().st_mtime_ns for path in (tmp_path / "work").glob("*.wzst")}
    again = _encode(root, tmp_path / "work")
    assert again.archives == before.archives
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "work").glob("*.wzst")} == written
    for path in root.iterdir():
        if path.name == "optimizer.safetensors":
            path.unlink()
    _write_pair(tmp_path / "other" / "checkpoint-1", 2)
    shutil.copy(tmp_path / "other" / "checkpoint-1" / "optimizer.safetensors", root)
    changed = _encode(root, tmp_path / "work")
    assert changed.archives[_find(changed, "model.safetensors").digest or ""].beside_digests == ()
