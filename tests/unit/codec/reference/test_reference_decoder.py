"""The reference decoder and the native one are two readings of one document: they must agree, also on damage."""

import numpy as np
import pytest

from shards.archives import MemoryPredecessor, build_archive
from shards.build import build_step
from weightzip.codec import _native
from weightzip.codec.reference import decode_archive, decode_block_group
from weightzip.errors import CorruptData

RNG = np.random.default_rng(11)


def _make_pair(element_bytes: int, n_elements: int) -> tuple[bytes, bytes]:
    """Return raw and predecessor bytes of floats that moved a little."""
    old = RNG.standard_normal(n_elements) * 0.02
    new = old * (1 + 0.01 * RNG.standard_normal(n_elements))
    dtype = {1: "<f2", 2: "<f2", 4: "<f4", 8: "<f8"}[element_bytes]
    pair = [values.astype(dtype).tobytes() for values in (new, old)]
    return (pair[0][1::2], pair[1][1::2]) if element_bytes == 1 else (pair[0], pair[1])


@pytest.mark.parametrize("element_bytes", [1, 2, 4, 8])
@pytest.mark.parametrize("transform", [0, 1, 2, 3])
@pytest.mark.parametrize("max_contexts", [1, 16])
def test_what_the_native_core_encodes_the_reference_decodes(
    element_bytes: int, transform: int, max_contexts: int
) -> None:
    for n_elements in (1, 31, 32, 33, 5000, 65_536 + 7):
        raw, predecessor = _make_pair(element_bytes, n_elements)
        given = predecessor if transform >= 2 or max_contexts > 1 else None
        group = _native.encode_blocks(
            raw,
            given,
            element_bytes=element_bytes,
            transform=transform,
            max_contexts=max_contexts,
            key_shift=max(0, 8 * element_bytes - 6),
            n_threads=1,
        )
        leans = group[1] >= 2 or group[3] > 1
        assert decode_block_group(group, given if leans else None, len(raw)) == raw


def test_both_decoders_reject_and_accept_the_same_damage() -> None:
    raw, predecessor = _make_pair(2, 1500)
    group = _native.encode_blocks(
        raw, predecessor, element_bytes=2, transform=2, max_contexts=4, key_shift=10, n_threads=1
    )
    for position in range(len(group)):
        damaged = bytearray(group)
        damaged[position] ^= 1 << position % 8
        assert _decode_native(damaged, predecessor, len(raw)) == _decode_reference(
            damaged, predecessor, len(raw)
        ), f"byte {position}"


def _decode_native(group: bytearray, predecessor: bytes, raw_bytes: int) -> bytes | None:
    out = bytearray(raw_bytes)
    try:
        _native.decode_blocks(group, predecessor, out, n_threads=1)
    except _native.CorruptBlocks:
        return None
    return bytes(out)


def _decode_reference(group: bytearray, predecessor: bytes, raw_bytes: int) -> bytes | None:
    try:
        return decode_block_group(group, predecessor, raw_bytes)
    except CorruptData:
        return None


@pytest.mark.parametrize("predecessor", [None, MemoryPredecessor(build_step(1, n_elements=3000))])
def test_whole_archives_agree(predecessor: MemoryPredecessor | None) -> None:
    shard = build_step(2, n_elements=3000)
    assert decode_archive(build_archive(shard, predecessor), predecessor) == shard
