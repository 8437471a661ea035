"""Fragments of tensors meet where their elements do, whatever cut them."""

import numpy as np
import pytest

from shards.archives import MemoryPredecessor, build_archive
from shards.build import Tensor, build_safetensors
from weightzip.codec.cutting.place import Part
from weightzip.codec.decoder import decode_shard
from weightzip.codec.derivation import Derivation, derive
from weightzip.codec.format.data_frame import Piece
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.joining.fragments import Extent, FragmentIndex, find_extent
from weightzip.codec.predecessor import Predecessor
from weightzip.codec.reader import Archive
from weightzip.codec.source import MemorySource

N_ROWS, N_COLUMNS = 96, 500
WEIGHTS = np.random.default_rng(5).normal(0, 0.02, (N_ROWS, N_COLUMNS)).astype("<f4")
LATER = WEIGHTS + np.random.default_rng(6).normal(0, 1e-5, WEIGHTS.shape).astype("<f4")


def _tensor(name: str, *shape: int, offset: int = 0, dtype: DType = DType.F32) -> TensorRange:
    return TensorRange(name, dtype, shape, offset, int(np.prod(shape)) * dtype.element_bytes)


@pytest.mark.parametrize(
    ("tensor", "extent"),
    [
        (_tensor("w", 4, 3), Extent("w", (), 3, 0, 12)),
        (_tensor("w[2,0]", 4, 3), Extent("w", (), 3, 6, 18)),
        (_tensor("w[2,3]", 4, 3), Extent("w", (2, 3)[1:], 3, 6, 18)),
        (_tensor("w[5]", 7), Extent("w", (), 0, 5, 12)),
        (_tensor("w[6]", 2, 3), Extent("w", (), 3, 6, 12)),
        (_tensor("w[x]", 2), Extent("w[x]", (), 0, 0, 2)),
        (_tensor("s"), Extent("s", (), 0, 0, 1)),
    ],
)
def test_names_and_shapes_tell_which_elements_a_fragment_has(tensor: TensorRange, extent: Extent) -> None:
    assert find_extent(tensor) == extent


def test_parts_are_gathered_in_order_and_without_overlap() -> None:
    index = FragmentIndex()
    index.add_file(1, [_tensor("w[6,0]", 4, 3, offset=100), _tensor("v", 12)])
    index.add_file(2, [_tensor("w[0,0]", 3, 3, offset=40), _tensor("w[2,0]", 3, 3, offset=400)])
    place = index.gather(_tensor("w[1,0]", 6, 3), DType.F32)
    assert place is not None
    assert place.parts == (
        Part(0, Piece(52, 24, 2)),
        Part(24, Piece(412, 24, 2)),
        Part(60, Piece(100, 12, 1)),
    )
    assert place.known_bytes == 60
    assert place.cut(12, 24) == (Piece(64, 12, 2), Piece(412, 12, 2))
    assert place.cut(40, 12) == ()  # a row is nowhere


def test_the_last_of_many_fragments_are_found_as_the_first_are() -> None:
    index = FragmentIndex()
    index.add_file(1, [_tensor(f"w[{2 * n}]", 2, offset=8 * n) for n in range(30_000)])
    index.add_file(2, [_tensor("w", 3)])
    for n in range(2, 30_000):
        place = index.gather(_tensor(f"w[{2 * n - 1}]", 2), DType.F32)
        assert place is not None and place.parts == (
            Part(0, Piece(8 * n - 4, 4, 1)),
            Part(4, Piece(8 * n, 4, 1)),
        )
    assert index.gather(_tensor("w[60000]", 2), DType.F32) is None


def test_fragments_of_other_rows_dtypes_and_columns_are_left_out() -> None:
    index = FragmentIndex()
    index.add_file(1, [_tensor("w", 3, 4), _tensor("w[0,3]", 4, 3), _tensor("w[0]", 12, dtype=DType.BF16)])
    assert index.gather(_tensor("w", 4, 3), DType.F32) is None
    place = index.gather(_tensor("w[1,3]", 2, 3), DType.F32)
    assert place is not None
    assert place.known_bytes == place.n_bytes == 24


def _shard(name: str, values: np.ndarray) -> Tensor:
    return Tensor(name, "F32", values.shape, values.astype("<f4").tobytes())


def _restore(archive: bytes, *beside: Predecessor) -> bytes:
    return b"".join(decode_shard(Archive(MemorySource(archive), beside=beside)))


def test_other_ranks_cut_elsewhere_and_still_find_their_predecessors() -> None:
    old = [
        MemoryPredecessor(build_safetensors([_shard(f"w[{row},0]", WEIGHTS[row : row + 32])]))
        for row in range(0, N_ROWS, 32)
    ]
    shard = build_safetensors([_shard("w[48,0]", LATER[48:])])
    same = MemoryPredecessor(build_safetensors([_shard("w[48,0]", WEIGHTS[48:])]))
    archive = build_archive(shard, old[0], find_moved=lambda lacking: old[1:])
    assert len(archive) < 1.02 * len(build_archive(shard, same)) < 0.8 * len(build_archive(shard))
    assert _restore(archive, *old) == shard


def test_what_grew_leans_on_what_there_was() -> None:
    old = MemoryPredecessor(build_safetensors([_shard("w", WEIGHTS[:90])]))
    shard = build_safetensors([_shard("w", np.concatenate([LATER[:90], WEIGHTS[:6] * 3]))])
    archive = build_archive(shard, old)
    assert _restore(archive, old) == shard


def test_masters_in_fragments_tell_their_copy() -> None:
    flat = WEIGHTS.reshape(-1)
    masters = [
        MemoryPredecessor(build_safetensors([_shard(f"fp32.w[{begin}]", flat[begin:end])]))
        for begin, end in ((0, 20_001), (20_001, flat.size))
    ]
    data = bytes(derive(flat.tobytes(), Derivation.BF16_NEAREST_EVEN))
    shard = build_safetensors([Tensor("module.w", "BF16", WEIGHTS.shape, data)])
    archive = build_archive(shard, beside=masters)
    assert len(archive) < 600
    assert _restore(archive, *masters) == shard
