"""Tables with escape: the exceptions must match the escapes one to one, at their places."""

import struct

import numpy as np
import pytest

from support.groups import EVERY_KERNEL_SET, Job, decode, encode
from weightzip.codec import _native

JOB = Job(1, 0, 1, 0)
N_ELEMENTS = 20_000
PLACES = [0, 31, 32, 4_095, 4_096, 19_999]


def _make_raw(outliers: dict[int, int]) -> bytes:
    rng = np.random.default_rng(3)
    symbols = np.clip(rng.normal(120, 2.5, N_ELEMENTS), 113, 127).astype(np.uint8)
    symbols[list(outliers)] = list(outliers.values())
    return symbols.tobytes()


RAW = _make_raw({place: 10 * i + 5 for i, place in enumerate(PLACES)})
GROUP = encode(JOB, RAW, None)
# In this group: 9 bytes of recipe, 2 of plane mode, table_bytes, tables, one block table entry, 128 bytes of states.
TABLE_BYTES = int.from_bytes(GROUP[11:15], "little")
EXCEPTIONS_AT = 15 + TABLE_BYTES + 4 + 128


def test_the_group_has_an_escape_for_each_outlier() -> None:
    assert GROUP[15] & 3 == 3
    found = struct.unpack_from("<I6H6B", GROUP, EXCEPTIONS_AT)
    assert found == (6, *PLACES, 5, 15, 25, 35, 45, 55)
    assert decode(GROUP, N_ELEMENTS, None) == RAW


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
@pytest.mark.parametrize(
    ("n_exceptions", "places", "message"),
    [
        (6, [1, *PLACES[1:]], "no escape was coded"),
        (6, [0, 32, 31, *PLACES[3:]], "do not ascend"),
        (6, [0, 31, 31, *PLACES[3:]], "do not ascend"),
        (6, [*PLACES[:5], 20_000], "beyond its block"),
        (20_001, PLACES, "more exceptions than elements"),
    ],
)
def test_exceptions_must_match(n_exceptions: int, places: list[int], message: str, kernels: str) -> None:
    damaged = bytearray(GROUP)
    struct.pack_into("<I6H", damaged, EXCEPTIONS_AT, n_exceptions, *places)
    with pytest.raises(_native.CorruptBlocks, match=message):
        decode(bytes(damaged), N_ELEMENTS, None, kernels=kernels)


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
def test_an_escape_without_exception_is_refused(kernels: str) -> None:
    # Two exceptions fewer, and the 6 bytes they took cut out; the block table entry says so.
    shorter = bytearray(GROUP)
    shorter[EXCEPTIONS_AT : EXCEPTIONS_AT + 22] = struct.pack("<I4H4B", 4, *PLACES[:4], 5, 15, 25, 35)
    entry_at = 15 + TABLE_BYTES
    (entry,) = struct.unpack_from("<I", shorter, entry_at)
    struct.pack_into("<I", shorter, entry_at, entry - 6)
    with pytest.raises(_native.CorruptBlocks, match="no exception"):
        decode(bytes(shorter), N_ELEMENTS, None, kernels=kernels)


def test_an_odd_number_of_exceptions_is_padded_with_zero() -> None:
    raw = _make_raw({7: 1, 8: 2, 9: 3})
    group = bytearray(encode(JOB, raw, None))
    at = 15 + int.from_bytes(group[11:15], "little") + 4 + 128
    assert struct.unpack_from("<I3H4B", group, at) == (3, 7, 8, 9, 1, 2, 3, 0)
    group[at + 13] = 1
    with pytest.raises(_native.CorruptBlocks, match="not zero"):
        decode(bytes(group), N_ELEMENTS, None)
