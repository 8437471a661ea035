"""Random access: exactly the reads that the format promises, and the right bytes."""

import math

import numpy as np
import pytest

from shards.archives import MemoryPredecessor, build_archive
from shards.build import Tensor, build_safetensors, build_step
from shards.sources import CountingSource
from weightzip.codec.containers import read_layout
from weightzip.codec.format.dtypes import DType
from weightzip.codec.reader import Archive
from weightzip.codec.source import MemorySource
from weightzip.errors import (
    CorruptData,
    MissingPredecessor,
    NotFound,
    TruncatedData,
    UnsupportedVersion,
    UsageError,
    WrongPredecessor,
)

SHARD = build_step(2)
ARCHIVE = build_archive(SHARD)
PREDECESSOR = MemoryPredecessor(build_step(1))
LEANING = build_archive(SHARD, PREDECESSOR)
TENSORS = read_layout(MemorySource(SHARD)).tensors


def test_opening_reads_the_footer_and_the_index_and_nothing_else() -> None:
    source = CountingSource(ARCHIVE)
    archive = Archive(source)
    index_offset = source.reads[1][0]
    assert source.reads == [(len(ARCHIVE) - 24, 24), (index_offset, len(ARCHIVE) - 24 - index_offset)]
    assert archive.keys() == [tensor.name for tensor in TENSORS]


@pytest.mark.parametrize("tensor", TENSORS, ids=lambda tensor: tensor.name)
def test_a_tensor_costs_one_read_of_its_frames(tensor: object) -> None:
    source = CountingSource(ARCHIVE)
    archive = Archive(source)
    name = tensor.name  # type: ignore[attr-defined]
    offset, n_bytes = tensor.offset, tensor.n_bytes  # type: ignore[attr-defined]
    source.reads.clear()
    restored = archive.tensor(name)
    assert bytes(restored.data) == SHARD[offset : offset + n_bytes]
    frames = archive.index.frames
    wanted = frames.find(offset, n_bytes)
    stored_bytes = sum(int(frames.frame_bytes[number]) for number in wanted)
    assert source.reads == [(int(frames.archive_offset[wanted[0]]), stored_bytes)]


def test_a_leaning_tensor_reads_the_header_and_only_its_frames_range_of_the_predecessor() -> None:
    source, theirs = CountingSource(LEANING), CountingSource(build_step(1))
    predecessor = MemoryPredecessor(build_step(1))
    predecessor.read_at = theirs.read_at  # type: ignore[method-assign]
    archive = Archive(source, predecessor=predecessor)
    source.reads.clear()
    weight = next(tensor for tensor in TENSORS if tensor.name == "model.weight")
    assert bytes(archive.tensor(weight.name).data) == SHARD[weight.offset : weight.end]
    assert source.reads[1] == (0, 64)
    assert len(source.reads) == 2
    frames = archive.index.frames
    (number,) = frames.find(weight.offset, weight.n_bytes)
    assert theirs.reads == [(int(frames.raw_offset[number]), int(frames.raw_bytes[number]))]


def test_arrays_have_their_shapes() -> None:
    archive = Archive(MemorySource(ARCHIVE))
    weight = archive.tensor("model.weight").to_numpy()
    assert (weight.dtype.str, weight.shape) == ("<f4", (2000, 10))
    assert archive.tensor("model.half").to_numpy().dtype == np.uint16
    assert archive.tensor("step").to_numpy() == 2
    assert archive.tensor("step").dtype == DType.I64


def test_sub_byte_types_come_as_flat_bytes() -> None:
    shard = build_safetensors([Tensor("t", "F4", (2, 4), b"abcd")])
    assert Archive(MemorySource(build_archive(shard))).tensor("t").to_numpy().tolist() == list(b"abcd")


@pytest.mark.parametrize("shape", [(1,) * 100, (0, 1 << 63)])
def test_a_shape_that_numpy_lacks_is_named(shape: tuple[int, ...]) -> None:
    shard = build_safetensors([Tensor("t", "U8", shape, b"a"[: math.prod(shape)])])
    with pytest.raises(UsageError, match="tensor 't'"):
        Archive(MemorySource(build_archive(shard))).tensor("t").to_numpy()


def test_any_range_of_the_shard_can_be_read() -> None:
    archive = Archive(MemorySource(ARCHIVE))
    for offset, n_bytes in [(0, 0), (0, 1), (0, len(SHARD)), (len(SHARD) - 1, 1), (777, 100_001)]:
        assert bytes(archive.read_range(offset, n_bytes)) == SHARD[offset : offset + n_bytes]
    for offset, n_bytes in [(-5, 5), (5, -3), (len(SHARD) + 5, -5)]:
        with pytest.raises(UsageError):
            archive.read_range(offset, n_bytes)
    with pytest.raises(TruncatedData):
        archive.read_range(len(SHARD), 1)


def test_a_frame_is_restored_into_the_memory_that_is_offered_if_it_fits() -> None:
    archive = Archive(MemorySource(ARCHIVE))
    for number, n_bytes in enumerate(archive.index.frames.raw_bytes.tolist()):
        stored, out = archive.read_stored_frame(number), memoryview(bytearray(n_bytes))
        assert archive.decode_stored_frame(number, stored, out) is out
        assert bytes(out) == bytes(archive.read_frame(number))
        with pytest.raises(CorruptData, match=f"restores {n_bytes} bytes"):
            archive.decode_stored_frame(number, stored, out[1:])


def test_unknown_names_are_named() -> None:
    with pytest.raises(NotFound, match="no tensor 'nope'"):
        Archive(MemorySource(ARCHIVE)).tensor("nope")


def test_a_missing_predecessor_is_named_by_digest() -> None:
    archive = Archive(MemorySource(LEANING))
    assert archive.info.needed_digests == (PREDECESSOR.digest.hex(),)
    with pytest.raises(MissingPredecessor, match=PREDECESSOR.digest.hex()):
        archive.tensor("model.weight")


@pytest.mark.parametrize("other", [build_step(3), build_step(1) + b"!", b""], ids=["step", "longer", "empty"])
def test_a_wrong_predecessor_is_named_with_the_right_one(other: bytes) -> None:
    wrong = MemoryPredecessor(other)
    with pytest.raises(WrongPredecessor) as caught:
        Archive(MemorySource(LEANING), predecessor=wrong).tensor("model.weight")
    assert PREDECESSOR.digest.hex() in str(caught.value)
    assert wrong.digest.hex() in str(caught.value)


def test_a_newer_version_is_recognised_even_if_its_end_is_strange() -> None:
    stored = bytearray(ARCHIVE[:-8] + b"whatever")
    stored[8] = 9
    with pytest.raises(UnsupportedVersion):
        Archive(MemorySource(stored))


@pytest.mark.parametrize("data", [b"", b"x", bytes(1000), SHARD], ids=["empty", "one", "zeros", "shard"])
def test_other_files_are_no_archives(data: bytes) -> None:
    with pytest.raises(CorruptData):
        Archive(MemorySource(data))
