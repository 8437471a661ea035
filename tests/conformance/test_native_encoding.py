"""What the native core encodes, both decoders restore: every recipe, every length to 1000, block edges, odd values."""

import pytest

from support.groups import EVERY_KERNEL_SET
from support.handmade_groups import (
    BY_COMPANION,
    BY_PREDECESSOR,
    BY_SCALE,
    FLOAT_DIFFERENCE,
    FROM_FACTORS,
    FROM_PREDECESSOR,
    INTEGER_DIFFERENCE,
    list_needs,
)
from support.recipe_jobs import (
    ELEMENT_BYTES,
    EXPONENT_SHIFT,
    RecipeJob,
    decode_native,
    decode_reference,
    encode_job,
    list_recipe_jobs,
    make_corners,
    make_moments,
)

JOBS = list_recipe_jobs()
BLOCK_ELEMENTS = 65_536
BLOCK_EDGE_JOBS = [
    *(RecipeJob(size, FLOAT_DIFFERENCE, FROM_PREDECESSOR, BY_PREDECESSOR) for size in ELEMENT_BYTES),
    *(
        RecipeJob(size, FLOAT_DIFFERENCE, FROM_PREDECESSOR, BY_SCALE, 0, EXPONENT_SHIFT[size], 257, 3)
        for size in ELEMENT_BYTES
    ),
    *(
        RecipeJob(
            size,
            transform,
            FROM_FACTORS,
            context_input,
            companion_bytes,
            EXPONENT_SHIFT[size],
            n_columns=257,
            first_column=3,
        )
        for size in (2, 4)
        for transform, context_input, companion_bytes in (
            (FLOAT_DIFFERENCE, BY_COMPANION, 4),
            (INTEGER_DIFFERENCE, BY_SCALE, 0),
        )
    ),
]
"""Few, since the reference is slow."""


def _check(job: RecipeJob, raw: bytes, predecessor: bytes, seed: int, kernels: str = "auto") -> bytes:
    """Return the group after both decoders restored raw from it."""
    n_elements = len(raw) // job.element_bytes
    companion = make_corners(n_elements, job.companion_bytes or 1, seed)
    group = encode_job(job, raw, predecessor, companion, kernels=kernels)
    assert decode_reference(group, len(raw), predecessor, companion) == raw
    assert decode_native(group, len(raw), predecessor, companion, kernels) == raw
    return group


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
@pytest.mark.parametrize("job", JOBS, ids=str)
def test_every_recipe(job: RecipeJob, kernels: str) -> None:
    for n_elements in (1, 33, 1000):
        _check(job, *make_moments(n_elements, job.element_bytes), 0, kernels)
    corners = [make_corners(500, job.element_bytes, seed) for seed in (1, 2)]
    _check(job, corners[0], corners[1], 3, kernels)


def test_every_length() -> None:
    for n_elements in range(1, 1001):
        # A prime step: every job meets lengths of every remainder.
        job = JOBS[n_elements * 7 % len(JOBS)]
        _check(job, *make_moments(n_elements, job.element_bytes, n_elements), n_elements)


@pytest.mark.parametrize("job", BLOCK_EDGE_JOBS, ids=str)
def test_block_edges(job: RecipeJob) -> None:
    for n_elements in (BLOCK_ELEMENTS - 1, BLOCK_ELEMENTS, BLOCK_ELEMENTS + 1):
        _check(job, *make_moments(n_elements, job.element_bytes), 0)


@pytest.mark.parametrize("size", ELEMENT_BYTES)
def test_the_recipe_in_the_group_is_the_one_that_was_asked_for(size: int) -> None:
    job = RecipeJob(size, FLOAT_DIFFERENCE, FROM_FACTORS, BY_COMPANION, 4, EXPONENT_SHIFT[size], 17, 5)
    raw, predecessor = make_moments(9000, size)
    # A companion that tells the scale of every element, so that contexts pay.
    companion = make_moments(9000, 4)[0]
    group = encode_job(job, raw, predecessor, companion)
    assert tuple(group[4:6]) == (FROM_FACTORS, BY_COMPANION)
    assert list_needs(group) == (True, True)
    assert decode_reference(group, len(raw), predecessor, companion) == raw
