"""Encoding and decoding in C++: every byte comes back, whatever the elements, the recipe and the way of computing it."""

import numpy as np
import pytest
from hypothesis import example, given

from support.groups import (
    BLOCK_ELEMENTS,
    EVERY_KERNEL_SET,
    Job,
    decode,
    encode,
    jobs_with_elements,
    list_jobs,
    make_weights,
)
from weightzip.codec import _native


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
@given(drawn=jobs_with_elements())
@example(drawn=(Job(1, 0, 1, 0), b"\x00", b"\x01"))
@example(drawn=(Job(8, 2, 32, 63), b"\xff" * 8, b"\x00" * 8))
def test_every_kernel_set_gives_the_same_bytes(kernels: str, drawn: tuple[Job, bytes, bytes]) -> None:
    job, raw, predecessor = drawn
    group = encode(job, raw, predecessor)
    assert encode(job, raw, predecessor, kernels=kernels) == group
    assert decode(group, len(raw), predecessor, kernels=kernels) == raw


@pytest.mark.parametrize("job", list_jobs(), ids=str)
@pytest.mark.parametrize(
    "n_elements",
    [
        BLOCK_ELEMENTS - 1,
        BLOCK_ELEMENTS,
        BLOCK_ELEMENTS + 1,
        2 * BLOCK_ELEMENTS - 1,
        2 * BLOCK_ELEMENTS + 1,
        5 * BLOCK_ELEMENTS + 2081,
    ],
)
def test_block_edges(job: Job, n_elements: int) -> None:
    raw, predecessor = make_weights(n_elements, job.element_bytes)
    group = encode(job, raw, predecessor)
    assert encode(job, raw, predecessor, n_threads=2, kernels="scalar") == group
    for kernels in _native.list_kernels():
        assert decode(group, len(raw), predecessor, n_threads=1, kernels=kernels) == raw
        assert decode(group, len(raw), predecessor, n_threads=2, kernels=kernels) == raw


@pytest.mark.parametrize("job", [job for job in list_jobs() if job.max_contexts == 16], ids=str)
def test_every_length_up_to_nine_steps(job: Job) -> None:
    raw, predecessor = make_weights(9 * 32, job.element_bytes)
    for n_elements in range(1, 9 * 32 + 1):
        n_bytes = n_elements * job.element_bytes
        group = encode(job, raw[:n_bytes], predecessor[:n_bytes])
        for kernels in _native.list_kernels():
            assert decode(group, n_bytes, predecessor[:n_bytes], kernels=kernels) == raw[:n_bytes]


def test_threads_do_not_change_a_byte() -> None:
    job = Job(4, 2, 16, 23)
    raw, predecessor = make_weights(5 * BLOCK_ELEMENTS + 17, 4)
    group = encode(job, raw, predecessor, n_threads=1)
    for n_threads in (0, 2, 7):
        assert encode(job, raw, predecessor, n_threads=n_threads) == group
        assert decode(group, len(raw), predecessor, n_threads=n_threads) == raw


def test_bf16_weights_come_near_their_entropy() -> None:
    raw, _ = make_weights(4 * BLOCK_ELEMENTS, 2)
    exponents = (np.frombuffer(raw, np.uint16) >> 7 & 0xFF).astype(np.int64)
    shares = np.bincount(exponents) / exponents.size
    shares = shares[shares > 0]
    entropy = -(shares * np.log2(shares)).sum()
    group = encode(Job(2, 1, 1, 0), raw, None)
    assert (8 + entropy) / 16 < len(group) / len(raw) < (8 + entropy) / 16 + 0.003


def test_contexts_shrink_what_depends_on_the_predecessor() -> None:
    raw, predecessor = make_weights(2 * BLOCK_ELEMENTS, 4)
    alone = encode(Job(4, 2, 1, 23), raw, predecessor)
    in_context = encode(Job(4, 2, 16, 23), raw, predecessor)
    assert len(in_context) < 0.98 * len(alone)


@pytest.mark.parametrize("rare", [0, 1, 16, 255])
def test_symbols_that_a_sample_cannot_see(rare: int) -> None:
    """A frame is judged by a sample of 65536 elements: what is not in it must be coded too."""
    symbols = np.full(40 * BLOCK_ELEMENTS, 100, dtype=np.uint8)
    symbols[1::2] = 101
    symbols[3_000::100_003] = rare
    raw = symbols.tobytes()
    group = encode(Job(1, 0, 1, 0), raw, None)
    assert len(group) < len(raw) / 6
    assert decode(group, len(raw), None) == raw


def test_a_changed_second_half_is_not_coded_with_the_tables_of_the_first() -> None:
    rng = np.random.default_rng(1)
    near = rng.integers(100, 104, 10 * BLOCK_ELEMENTS, dtype=np.uint8)
    raw = near.tobytes() + rng.bytes(10 * BLOCK_ELEMENTS)
    group = encode(Job(1, 0, 1, 0), raw, None)
    assert len(group) < len(raw) * 1.001
    assert decode(group, len(raw), None) == raw


def test_a_constant_costs_a_few_bytes() -> None:
    raw = b"\x12\x34" * (3 * BLOCK_ELEMENTS)
    assert len(encode(Job(2, 1, 1, 0), raw, None)) < 64


def test_random_bytes_cost_little_more_than_themselves() -> None:
    raw = np.random.default_rng(2).bytes(8 * BLOCK_ELEMENTS)
    assert len(encode(Job(4, 0, 1, 0), raw, None)) < len(raw) + 200
