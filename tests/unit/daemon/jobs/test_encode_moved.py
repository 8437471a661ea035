"""Tensors that moved between the files of a checkpoint lean on the files they came from, chain after chain."""

import shutil
from pathlib import Path

import pytest

from shards.moving import name_shards, split_evenly, write_shards
from support.checkpoints import describe_tree
from weightzip.daemon.checkpoint import hash_file
from weightzip.daemon.jobs.encode import encode_checkpoint
from weightzip.daemon.jobs.predecessor import PredecessorFiles, RawPredecessor, StoredPredecessor
from weightzip.daemon.restore import ObjectCache, restore_checkpoint, verify_repository
from weightzip.daemon.store import Manifest, Repository
from weightzip.daemon.store.encoded import EncodedCheckpoint
from weightzip.daemon.store.memory import MemoryStore
from weightzip.errors import WrongPredecessor

N_TENSORS = 12


@pytest.fixture
def repository() -> Repository:
    return Repository.open(MemoryStore(), run_id="run", create=True)


def _write(root: Path, step: int, n_shards: int) -> Path:
    return write_shards(
        root / f"checkpoint-{step}", step, split_evenly(N_TENSORS, n_shards), name_shards(n_shards)
    )


def _encode(root: Path, workdir: Path, predecessor: PredecessorFiles | None = None) -> EncodedCheckpoint:
    return encode_checkpoint(
        root.name, int(root.name[-1]), root, workdir=workdir, predecessor=predecessor, n_threads=1
    )


@pytest.mark.parametrize("stored", [False, True], ids=["raw predecessor", "stored predecessor"])
def test_the_number_of_shards_may_change_at_every_step(
    repository: Repository, tmp_path: Path, stored: bool
) -> None:
    cache = ObjectCache(tmp_path / "cache", 1 << 30)
    roots: list[Path] = []
    manifest: Manifest | None = None
    sizes = []
    for step, n_shards in enumerate((3, 3, 4, 2), start=1):
        predecessor: PredecessorFiles | None = None
        if manifest is not None and stored:
            predecessor = StoredPredecessor(manifest, repository, cache)
        elif manifest is not None:
            predecessor = RawPredecessor(manifest, roots[-1])
        roots.append(_write(tmp_path / "source", step, n_shards))
        encoded = _encode(roots[-1], tmp_path / f"work-{step}", predecessor)
        manifest = repository.publish(encoded).manifest
        assert manifest.chain_depth == step - 1
        sizes.append(encoded.stored_bytes)
    assert max(sizes[2:]) < 1.01 * sizes[1] < 0.8 * sizes[0]
    assert verify_repository(repository, depth="full").ok
    for root in roots:
        restored = restore_checkpoint(repository, root.name, tmp_path / "target")
        assert describe_tree(restored.path) == describe_tree(root)


def test_the_manifest_names_all_files_that_tensors_came_from(repository: Repository, tmp_path: Path) -> None:
    first = _write(tmp_path, 1, 2)
    manifest = repository.publish(_encode(first, tmp_path / "work-1")).manifest
    second = _write(tmp_path, 2, 1)
    encoded = _encode(second, tmp_path / "work-2", RawPredecessor(manifest, first))
    (file,) = second.iterdir()
    record = encoded.archives[hash_file(file)]
    assert record.predecessor_digest is None
    assert set(record.moved_digests) == {hash_file(path) for path in first.iterdir()}
    assert len(encoded.archives) == 3
    written = encoded.new_archives[record.object_digest].stat().st_mtime_ns
    again = _encode(second, tmp_path / "work-2", RawPredecessor(manifest, first))  # taken over by its note
    assert again.archives == encoded.archives
    assert again.new_archives[record.object_digest].stat().st_mtime_ns == written


def test_files_that_moved_tensors_come_from_must_be_the_published_ones(
    repository: Repository, tmp_path: Path
) -> None:
    first = _write(tmp_path, 1, 2)
    manifest = repository.publish(_encode(first, tmp_path / "work-1")).manifest
    second = _write(tmp_path, 2, 1)
    shutil.copy(second / name_shards(1)[0], first / name_shards(2)[0])
    with pytest.raises(WrongPredecessor, match="no longer the published file"):
        _encode(second, tmp_path / "work-2", RawPredecessor(manifest, first))
