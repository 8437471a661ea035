"""Every recipe that the encoder knows, at lengths that end in every part of a stretch, decodes on the device too."""

import numpy as np
import pytest

from cudasim.device import SimulatedDevice
from support.handmade_groups import (
    BY_COMPANION,
    BY_PREDECESSOR,
    ROTATE,
    build_context_group,
    list_needs,
    write_context_source,
    write_recipe,
)
from support.recipe_jobs import (
    ELEMENT_BYTES,
    RecipeJob,
    encode_job,
    list_recipe_jobs,
    make_corners,
    make_layers,
    make_moments,
)
from weightzip.codec import _native
from weightzip.gpu.backend import GpuBlockDecoder
from weightzip.gpu.plan.group import plan_group

LENGTHS = (1, 33, 511, 2047, 2049, 4100)
MOST_CONTEXTS = 32


def _decode(
    group: bytes, raw_bytes: int, predecessor: bytes, companion: bytes, device: SimulatedDevice | None = None
) -> bytes:
    needs_predecessor, needs_companion = list_needs(group)
    out = bytearray(raw_bytes)
    GpuBlockDecoder(device or SimulatedDevice()).decode_blocks(
        group,
        predecessor if needs_predecessor else None,
        companion if needs_companion else None,
        memoryview(out),
        "group",
    )
    return bytes(out)


@pytest.mark.parametrize("job", list_recipe_jobs(), ids=str)
def test_a_recipe(job: RecipeJob) -> None:
    for n_elements in LENGTHS:
        raw, predecessor = make_moments(n_elements, job.element_bytes, seed=n_elements)
        companion = make_corners(n_elements, job.companion_bytes or 1)
        group = encode_job(job, raw, predecessor, companion)
        assert _decode(group, len(raw), predecessor, companion) == raw


@pytest.mark.parametrize("element_bytes", ELEMENT_BYTES)
def test_several_blocks_with_low_contexts(element_bytes: int) -> None:
    job = RecipeJob(element_bytes, ROTATE, max_low_contexts=8)
    raw = make_layers(9000, element_bytes)
    assert _decode(encode_job(job, raw, b"", b""), len(raw), b"", b"") == raw


@pytest.mark.parametrize("element_bytes", ELEMENT_BYTES)
def test_escapes(element_bytes: int) -> None:
    """One symbol in two hundred is rare, and its like are many: they are coded as exceptions."""
    rng = np.random.default_rng(1)
    tops = rng.choice(8, 70_000, p=[0.3, 0.2, 0.15, 0.13, 0.1, 0.06, 0.04, 0.02]) + 100
    rare = rng.random(len(tops)) < 0.002
    tops[rare] = rng.integers(0, 256, int(rare.sum()))
    elements = rng.integers(0, 256, (len(tops), element_bytes), dtype=np.uint8)
    elements[:, -1] = tops
    raw = elements.tobytes()
    group = encode_job(RecipeJob(element_bytes, 0), raw, b"", b"")
    assert any(
        table.has_escape for plane in plan_group(group, len(raw), "group").planes for table in plane.tables
    )
    assert _decode(group, len(raw), b"", b"") == raw


@pytest.mark.parametrize("element_bytes", ELEMENT_BYTES)
@pytest.mark.parametrize("context_input", [BY_PREDECESSOR, BY_COMPANION])
@pytest.mark.parametrize(("prob_bits", "kernel"), [(8, "moved"), (12, "spacious")])
def test_the_most_contexts(element_bytes: int, context_input: int, prob_bits: int, kernel: str) -> None:
    """With 12 bits the tables have no room in shared memory."""
    runs = [(number, 8 * number + 7) for number in range(MOST_CONTEXTS)]
    n_elements = 1500
    recipe = write_recipe(
        element_bytes,
        0,
        n_contexts=MOST_CONTEXTS,
        context_input=context_input,
        companion_bytes=4 if context_input == BY_COMPANION else 1,
        source=write_context_source(0, 0, runs),
    )
    group = bytearray(build_context_group(recipe, element_bytes, MOST_CONTEXTS, n_elements))
    group[len(recipe) + 2 * element_bytes - 1] = prob_bits
    predecessor, companion = make_corners(n_elements, element_bytes), make_corners(n_elements, 4, seed=1)
    needs_predecessor, needs_companion = list_needs(bytes(group))
    expected = bytearray(n_elements * element_bytes)
    inputs = (predecessor if needs_predecessor else None, companion if needs_companion else None)
    _native.decode_blocks(group, *inputs, expected, n_threads=1)
    device = SimulatedDevice()
    assert _decode(bytes(group), len(expected), predecessor, companion, device) == bytes(expected)
    assert device.launched[-1] == f"decode_{8 * element_bytes}_{kernel}"
