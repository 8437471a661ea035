"""Damaged block groups: refused by name or decoded to something, never a crash; and each rule of the format is kept.

The exhaustive search for crashes is in C++ under the sanitizers: tests/native.
"""

import struct

import pytest

from support.groups import Job, decode, encode, leans_on_predecessor, make_weights
from weightzip.codec import _native

RAW, PREDECESSOR = make_weights(300, 2)
JOBS = [Job(2, 1, 1, 0), Job(2, 2, 8, 7), Job(2, 0, 4, 7)]


def _try(group: bytes, kernels: str = "auto") -> bytes | str:
    try:
        return decode(group, len(RAW), PREDECESSOR, kernels=kernels)
    except _native.CorruptBlocks as error:
        return str(error)


@pytest.mark.parametrize("job", JOBS, ids=str)
def test_every_flipped_byte_is_refused_or_decoded_alike(job: Job) -> None:
    group = encode(job, RAW, PREDECESSOR)
    refused = 0
    for place in range(len(group)):
        damaged = bytearray(group)
        damaged[place] ^= 0xFF
        outcome = _try(bytes(damaged), "scalar")
        for kernels in _native.list_kernels():
            other = _try(bytes(damaged), kernels)
            assert isinstance(outcome, str) == isinstance(other, str)
            assert isinstance(outcome, str) or outcome == other
        refused += isinstance(outcome, str)
    assert refused > 0


@pytest.mark.parametrize("job", JOBS, ids=str)
def test_every_truncation_is_refused(job: Job) -> None:
    group = encode(job, RAW, PREDECESSOR)
    for n_bytes in range(len(group)):
        assert isinstance(_try(group[:n_bytes]), str)
    assert isinstance(_try(group + b"\x00"), str)


def test_a_group_of_another_length_is_refused() -> None:
    group = encode(JOBS[0], RAW, None)
    for n_bytes in (1, len(RAW) - 2, len(RAW) + 2, 4 * len(RAW), 1 << 20):
        with pytest.raises(_native.CorruptBlocks):
            decode(group, n_bytes, None)


# A group written by hand: one plane, one block of 1024 elements or less.
def _handmade(
    *,
    recipe: bytes = bytes([0, 0, 10, 1, 0, 0, 0]),
    low_contexts: bytes = b"\0",
    zero_bits: int = 0,
    mode: int = 1,
    prob_bits: int = 8,
    tables: bytes = b"\x00",
    entry: int | None = None,
    payload: bytes = struct.pack("<32I", *[1 << 16] * 32),
) -> bytes:
    if entry is None:
        entry = 2 << 24 | len(payload)
    head = (
        recipe + low_contexts + bytes([zero_bits, mode, prob_bits]) + struct.pack("<I", len(tables)) + tables
    )
    return head + struct.pack("<I", entry) + payload


def _states(*first: int) -> bytes:
    return struct.pack("<32I", *first, *[1 << 16] * (32 - len(first)))


# The element 7 under the uniform table: the encoder's x / f << P plus the start, from a state of 2^16.
ONE_SEVEN = _states((1 << 24) + 7)


def test_the_handmade_group_is_right() -> None:
    assert decode(_handmade(payload=ONE_SEVEN), 1, None) == b"\x07"


def _single_table(symbol: int) -> bytes:
    return (1 | symbol << 2).to_bytes(2, "little")


@pytest.mark.parametrize(
    ("group", "message"),
    [
        (_handmade(recipe=bytes([4, 0, 10, 1, 0, 0, 0])), "element_log2"),
        (_handmade(recipe=bytes([0, 4, 10, 1, 0, 0, 0])), "transform"),
        (_handmade(recipe=bytes([0, 0, 9, 1, 0, 0, 0])), "block_log2"),
        (_handmade(recipe=bytes([0, 0, 17, 1, 0, 0, 0])), "block_log2"),
        (_handmade(recipe=bytes([0, 0, 10, 0, 0, 0, 0])), "n_contexts"),
        (_handmade(recipe=bytes([0, 0, 10, 33, 0, 0, 0])), "n_contexts"),
        (_handmade(recipe=bytes([0, 0, 10, 2, 0, 1, 0, 64, 0, 0, 0, 0, 0, 1, 255])), "key_shift"),
        (
            _handmade(recipe=bytes([0, 0, 10, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 255])),
            "context is out of range",
        ),
        (_handmade(recipe=bytes([0, 0, 10, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 254])), "255"),
        (_handmade(recipe=bytes([0, 0, 10, 2, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 255, 1, 255])), "ascend"),
        (_handmade(recipe=bytes([0, 2, 10, 1, 3, 0, 0])), "predictor is reserved"),
        (_handmade(recipe=bytes([0, 0, 10, 1, 1, 0, 0])), "transform and predictor"),
        (_handmade(recipe=bytes([0, 2, 10, 1, 0, 0, 0])), "transform and predictor"),
        (_handmade(recipe=bytes([0, 0, 10, 2, 0, 4, 0])), "context_input is reserved"),
        (_handmade(recipe=bytes([0, 0, 10, 1, 0, 1, 0])), "n_contexts and context_input"),
        (_handmade(recipe=bytes([0, 0, 10, 2, 0, 0, 0])), "n_contexts and context_input"),
        (_handmade(recipe=bytes([0, 0, 10, 2, 0, 2, 4])), "companion_log2"),
        (_handmade(recipe=bytes([0, 0, 10, 2, 0, 1, 1])), "without a companion"),
        (_handmade(mode=4), "plane_mode"),
        (_handmade(mode=3), "low contexts"),
        (_handmade(mode=3, low_contexts=bytes([2, 0, 1, 255])), "low contexts"),
        (_handmade(low_contexts=b"\1\0\0\xff"), "n_low_contexts"),
        (_handmade(low_contexts=b"\x21\0\0\xff"), "n_low_contexts"),
        (_handmade(low_contexts=b"\2\0\2\xff"), "a context is out of range"),
        (_handmade(low_contexts=b"\2\0\1\xfe"), "do not end"),
        (_handmade(zero_bits=8), "as much as an element"),
        (_handmade(zero_bits=1), "without a transform"),
        (_handmade(mode=2), "contexts"),
        (_handmade(mode=0), "prob_bits"),
        (_handmade(mode=0, prob_bits=0, tables=b""), "rANS payload"),
        (_handmade(prob_bits=7), "prob_bits"),
        (_handmade(prob_bits=13), "prob_bits"),
        (_handmade(tables=b""), "bit stream ends"),
        (_handmade(tables=b"\x00\x00"), "end of a bit stream"),
        (_handmade(tables=b"\x04"), "not zero"),
        (_handmade(tables=_single_table(7) + b"\x00"), "end of a bit stream"),
        (_handmade(tables=b"\x02\x00\x40"), "sum"),
        (_handmade(tables=b"\xfe\x07\x00\x00\x00"), "beyond symbol 255"),
        (_handmade(tables=b"\x02\x00\x00\x00\x00\x00"), "too large"),
        (_handmade(tables=b"\x03\x3c\x00\x00\x00"), "too many symbols"),
        (_handmade(entry=3 << 24), "plane_storage"),
        (_handmade(entry=1 << 24 | 256, payload=b""), "constant"),
        (_handmade(entry=2, payload=b"ab"), "raw payload"),
        (_handmade(entry=2 << 24 | 127), "too short"),
        (_handmade(entry=2 << 24 | 130), "end too early"),
        (_handmade(payload=ONE_SEVEN + b"\x00"), "within a word"),
        (_handmade(payload=ONE_SEVEN + b"\x00\x00"), "too many words"),
        (_handmade(payload=_states((1 << 16) - 1)), "below 2"),
        (_handmade(payload=_states((1 << 23) + 7)), "too few words"),
        (_handmade(payload=_states((1 << 25) + 7)), "does not end"),
        (_handmade(payload=_states((1 << 24) + 7, (1 << 16) + 1)), "does not end"),
        (_handmade(payload=ONE_SEVEN) + b"\x00", "after the last payload"),
    ],
)
def test_a_broken_rule_is_named(group: bytes, message: str) -> None:
    predecessor = b"\x00" if leans_on_predecessor(group) else None
    for kernels in _native.list_kernels():
        with pytest.raises(_native.CorruptBlocks, match=message):
            decode(group, 1, predecessor, kernels=kernels)


def test_the_bytes_between_payloads_must_be_zero() -> None:
    group = encode(Job(2, 0, 1, 0), bytes(range(2, 12)), None)
    assert group[-5:] == bytes(range(2, 12, 2))
    damaged = bytearray(group)
    damaged[-6] = 1
    with pytest.raises(_native.CorruptBlocks, match="between payloads"):
        decode(bytes(damaged), 10, None)
