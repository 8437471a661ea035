"""The estimate of a group's size: near the truth, and the same every time."""

import pytest

from support.groups import BLOCK_ELEMENTS, Job, encode, list_jobs, make_weights
from weightzip.codec import _native


def _estimate(job: Job, raw: bytes, predecessor: bytes) -> int:
    return _native.estimate_blocks(
        raw,
        predecessor if job.needs_predecessor else None,
        None,
        element_bytes=job.element_bytes,
        transform=job.transform,
        predictor=job.predictor,
        context_input=job.context_input,
        max_contexts=job.max_contexts,
        key_shift=job.key_shift,
    )


@pytest.mark.parametrize("job", list_jobs(), ids=str)
@pytest.mark.parametrize("n_elements", [100, 5_000, BLOCK_ELEMENTS, 4 * BLOCK_ELEMENTS + 5])
def test_estimate_is_near(job: Job, n_elements: int) -> None:
    raw, predecessor = make_weights(n_elements, job.element_bytes)
    size = len(encode(job, raw, predecessor))
    assert _estimate(job, raw, predecessor) == pytest.approx(size, rel=0.05, abs=150)


def test_estimate_repeats() -> None:
    job = Job(4, 2, 16, 23)
    raw, predecessor = make_weights(3 * BLOCK_ELEMENTS, 4)
    assert _estimate(job, raw, predecessor) == _estimate(job, raw, predecessor)
