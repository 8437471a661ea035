"""Tensors that tell something of each other, in one file or in several: whatever leans on what, all bytes come back."""

import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shards.archives import MemoryPredecessor, build_archive, map_by_digest
from shards.build import Tensor, build_safetensors
from weightzip.codec.backend import CpuBackend
from weightzip.codec.decoder import decode_shard
from weightzip.codec.reader import Archive
from weightzip.codec.reference import decode_archive
from weightzip.codec.reference.derive import Derivation, derive_elements
from weightzip.codec.source import MemorySource
from weightzip.codec.stream import StreamDecoder

# The first is just above what shares a frame with others.
SHAPES = [(270, 127), (40, 33), (7, 3), (1, 1)]
COPIES = {
    "BF16": (Derivation.BF16_NEAREST_EVEN, Derivation.BF16_TRUNCATED),
    "F16": (Derivation.FP16_NEAREST_EVEN,),
    "U16": (Derivation.LOWER_HALF,),
}


@st.composite
def parameters(draw: st.DrawFn, number: int) -> list[list[Tensor]]:
    """Draw a parameter as two lists of tensors: what is in the shard, and what is in the file beside it."""
    shape = draw(st.sampled_from(SHAPES))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    master = rng.standard_normal(shape).astype("<f4")
    if draw(st.booleans()):
        bits = master.reshape(-1).view("<u4")
        bits[:: draw(st.integers(3, 50))] = rng.choice(
            [0x7F800001, 0xFFFFFFFF, 0x7F800000, 1, 0x80000000, 0x7F7FFFFF]
        )
    squares = np.exp2(4 * rng.standard_normal((shape[0], 1)) + 3 * rng.standard_normal(shape) - 40).astype(
        "<f4"
    )
    with np.errstate(invalid="ignore"):  # the master may hold any pattern
        mean = (np.sqrt(squares) * master).astype("<f4")
    dtype = draw(st.sampled_from(sorted(COPIES)))
    copy = derive_elements(draw(st.sampled_from(COPIES[dtype])), master.reshape(-1).view("<u4")).astype("<u2")
    if draw(st.booleans()):
        copy[draw(st.integers(0, len(copy) - 1))] ^= 1
    drawn = [
        Tensor(f"model.p{number}", dtype, shape, copy.tobytes()),
        Tensor(f"master.p{number}", "F32", shape, master.tobytes()),
        Tensor(f"tied.p{number}", "F32", shape, master.tobytes()),
        Tensor(f"exp_avg.p{number}", "F32", shape, mean.tobytes()),
        Tensor(f"exp_avg_sq.p{number}", "F32", shape, squares.tobytes()),
    ]
    places: list[list[Tensor]] = [[], [], []]  # the third is nowhere
    for tensor in draw(st.permutations(drawn)):
        places[draw(st.sampled_from([0, 0, 1, 2]))].append(tensor)
    return places[:2]


def _move(data: bytes) -> bytes:
    """Return an earlier version of a file: some of its last bytes differ."""
    moved = bytearray(data)
    for place in range(len(data) - len(data) // 4, len(data), 5):
        moved[place] ^= 1
    return bytes(moved)


@settings(max_examples=200)
@given(
    st.integers(1, 3).flatmap(lambda n: st.tuples(*(parameters(number) for number in range(n)))),
    st.booleans(),
)
def test_whatever_leans_on_what(drawn: tuple[list[list[Tensor]], ...], has_predecessor: bool) -> None:
    shard, neighbour = (
        build_safetensors([tensor for places in drawn for tensor in places[side]]) for side in range(2)
    )
    beside = MemoryPredecessor(neighbour)
    predecessor = MemoryPredecessor(_move(shard)) if has_predecessor else None
    archive = build_archive(shard, predecessor, beside=[beside])
    given_files = [beside] + ([predecessor] if predecessor is not None else [])
    opened = Archive(MemorySource(archive), beside=given_files, backend=CpuBackend(1))
    assert b"".join(decode_shard(opened, n_threads=1)) == shard
    assert decode_archive(archive, map_by_digest(given_files)) == shard
    for tensor in (tensor for places in drawn for tensor in places[0]):
        assert bytes(opened.tensor(tensor.name).data) == tensor.data
    if not opened.header.leans_on_itself:
        piped = StreamDecoder(
            io.BytesIO(archive), predecessor=None, beside=given_files, backend=CpuBackend(1)
        )
        assert b"".join(piped) == shard
