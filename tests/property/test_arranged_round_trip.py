"""Whatever lies between the tensors of a shard, it comes back: as a whole, in any range, and through the reference."""

from collections.abc import Callable
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shards.archives import MemoryPredecessor, build_archive, map_by_digest
from weightzip.codec.backend import CpuBackend
from weightzip.codec.decoder import decode_shard
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange
from weightzip.codec.frame_cache import FrameCache
from weightzip.codec.predecessor import ArchivePredecessor
from weightzip.codec.reader import Archive
from weightzip.codec.reference import decode_archive
from weightzip.codec.source import MemorySource
from weightzip.codec.summary import summarize_tensors
from weightzip.files.bench.kinds import split_index

ROLES = ("exp_avg", "exp_avg_sq", "step", "weight")
DTYPES = (DType.F32, DType.BF16, DType.F64, DType.U8)

Parts = list[tuple[int, str, DType, int]]


@st.composite
def parts(draw: st.DrawFn) -> Parts:
    """Draw tensors as (bytes of glue before it, role, dtype, elements)."""
    sizes = st.one_of(st.integers(0, 3), st.integers(4, 60), st.integers(9000, 20_000))
    gaps = st.one_of(st.integers(0, 200), st.just(0))
    return draw(
        st.lists(
            st.tuples(gaps, st.sampled_from(ROLES), st.sampled_from(DTYPES), sizes), min_size=3, max_size=25
        )
    )


def _build(drawn: Parts, step: int, rest_bytes: int) -> tuple[bytes, Layout]:
    """Return the shard at a step; what it holds moves a little from step to step."""
    shard = bytearray()
    tensors = []
    for number, (gap, role, dtype, n_elements) in enumerate(drawn):
        start, moved = np.random.default_rng(number), np.random.default_rng([step, number])
        shard += start.bytes(gap // 2) + moved.bytes(gap - gap // 2)
        values = np.abs(start.standard_normal(n_elements)) * (1 + 0.01 * moved.standard_normal(n_elements))
        raw = {
            DType.F64: values.astype("<f8").tobytes,
            DType.F32: values.astype("<f4").tobytes,
            DType.BF16: (values.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes,
            DType.U8: (values * 20).astype("u1").tobytes,
        }[dtype]()
        tensors.append(
            TensorRange(f"{number // 2}.{role}.{number}", dtype, (n_elements,), len(shard), len(raw))
        )
        shard += raw
    shard += bytes(rest_bytes)
    return bytes(shard), Layout(ContainerKind.TORCH_ZIP, len(shard), tuple(tensors))


def _check_ranges(read: Callable[[int, int], object], shard: bytes, random: Random) -> None:
    for _ in range(60):
        begin = random.randrange(len(shard))
        n_bytes = random.choice([1, 2, 300, 5000, len(shard)])
        expected = shard[begin : begin + n_bytes]
        assert read(begin, len(expected)) == expected


@settings(max_examples=60, deadline=None)
@given(parts(), st.integers(1, 300), st.booleans(), st.randoms(use_true_random=False))
def test_any_layout_with_glue_between(drawn: Parts, rest: int, has_predecessor: bool, random: Random) -> None:
    shard, layout = _build(drawn, 2, rest)
    earlier, earlier_layout = _build(drawn, 1, rest)
    predecessor = MemoryPredecessor(earlier, earlier_layout) if has_predecessor else None
    archive = build_archive(shard, predecessor, layout=layout)
    opened = Archive(MemorySource(archive), predecessor=predecessor, backend=CpuBackend(1))
    assert b"".join(decode_shard(opened, n_threads=1)) == shard
    assert decode_archive(archive, map_by_digest([predecessor] if predecessor else [])) == shard
    _check_ranges(opened.read_range, shard, random)
    _check_ranges(FrameCache(opened).read_at, shard, random)
    for tensor in layout.tensors:
        assert opened.tensor(tensor.name).data == shard[tensor.offset : tensor.end]
    stored = [part.stored_bytes for part in split_index(opened.index)]
    assert sum(stored) == int(opened.index.frames.frame_bytes.sum())
    summaries = list(summarize_tensors(opened.index))
    assert sum(summary.raw_bytes for summary in summaries) == len(shard)
    assert all(abs(s.stored_bytes - n) <= 3 for s, n in zip(summaries, stored, strict=True))


@settings(max_examples=15, deadline=None)
@given(parts(), st.randoms(use_true_random=False))
def test_an_archive_as_predecessor_of_another(drawn: Parts, random: Random) -> None:
    built = [_build(drawn, step, 50) for step in range(3)]
    predecessor: ArchivePredecessor | None = None
    for shard, layout in built:
        opened = Archive(
            MemorySource(build_archive(shard, predecessor, layout=layout)),
            predecessor=predecessor,
            backend=CpuBackend(1),
        )
        predecessor = ArchivePredecessor(opened)
    assert predecessor is not None
    assert b"".join(decode_shard(predecessor.archive, n_threads=1)) == built[-1][0]
    _check_ranges(predecessor.read_at, built[-1][0], random)
