"""Predecessors: raw files, and archives whose frames are decoded on demand, chain after chain."""

from pathlib import Path

import pytest

from shards.archives import MemoryPredecessor, build_archive, compute_digest
from shards.build import build_step, write_step
from weightzip.codec.decoder import decode_shard
from weightzip.codec.predecessor import ArchivePredecessor, FilePredecessor
from weightzip.codec.reader import Archive
from weightzip.codec.source import MemorySource
from weightzip.errors import TruncatedData

N_STEPS = 5


def _build_chain() -> Archive:
    """Return the archive of the last step, leaning on the archive of the step before, and so on."""
    archive = Archive(MemorySource(build_archive(build_step(0))), name="step 0")
    for step in range(1, N_STEPS):
        stored = build_archive(build_step(step), MemoryPredecessor(build_step(step - 1)))
        archive = Archive(MemorySource(stored), predecessor=ArchivePredecessor(archive), name=f"step {step}")
    return archive


def test_a_chain_restores_without_any_raw_file() -> None:
    assert b"".join(decode_shard(_build_chain())) == build_step(N_STEPS - 1)


def test_one_tensor_of_a_chain_restores() -> None:
    tensor = _build_chain().tensor("model.half")
    assert bytes(tensor.data) in build_step(N_STEPS - 1)


def test_files_and_archives_of_one_shard_are_the_same_predecessor(tmp_path: Path) -> None:
    raw = FilePredecessor(write_step(tmp_path, 3))
    archive = ArchivePredecessor(Archive(MemorySource(build_archive(build_step(3)))))
    data = build_step(3)
    assert raw.digest == archive.digest == compute_digest(data)
    assert raw.size_bytes == archive.size_bytes == len(data)
    assert raw.tensors == archive.tensors
    for offset, n_bytes in [(0, 0), (5, 1), (100, 90_000), (0, len(data)), (len(data), 0)]:
        expected = data[offset : offset + n_bytes]
        assert bytes(raw.read_at(offset, n_bytes)) == bytes(archive.read_at(offset, n_bytes)) == expected
    assert build_archive(build_step(4), raw) == build_archive(build_step(4), archive)
    raw.close()


def test_reading_beyond_the_end_is_truncation(tmp_path: Path) -> None:
    path = write_step(tmp_path, 3)
    for predecessor in (FilePredecessor(path), MemoryPredecessor(path.read_bytes())):
        with pytest.raises(TruncatedData):
            predecessor.read_at(predecessor.size_bytes - 1, 2)
