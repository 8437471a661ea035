"""A damaged block group: the device refuses what the CPU refuses, and else restores the same."""

import numpy as np
import pytest

from cudasim.device import SimulatedDevice
from support.handmade_groups import (
    BY_PREDECESSOR,
    BY_SCALE,
    FLOAT_DIFFERENCE,
    FROM_FACTORS,
    FROM_PREDECESSOR,
    ROTATE,
    list_needs,
)
from support.recipe_jobs import RecipeJob, encode_job, make_corners, make_layers, make_moments
from weightzip.codec import _native
from weightzip.errors import CorruptData
from weightzip.gpu.backend import GpuBlockDecoder
from weightzip.gpu.faults import FAULTS

N_ELEMENTS = 1500
N_DAMAGES = 60
JOBS = (
    RecipeJob(2, ROTATE),
    RecipeJob(2, ROTATE, max_low_contexts=8),
    RecipeJob(4, FLOAT_DIFFERENCE, FROM_PREDECESSOR, BY_PREDECESSOR),
    RecipeJob(2, FLOAT_DIFFERENCE, FROM_FACTORS, BY_SCALE, 0, 7, 17, 5),
)


def _make_group(job: RecipeJob) -> tuple[bytes, bytes, bytes]:
    """Return a group, what it restores, and its predecessor."""
    raw, predecessor = make_moments(N_ELEMENTS, job.element_bytes)
    if job.max_low_contexts:
        raw = make_layers(N_ELEMENTS, job.element_bytes)
    return encode_job(job, raw, predecessor, make_corners(N_ELEMENTS, 1)), raw, predecessor


def _pick_predecessor(group: bytes, predecessor: bytes) -> bytes | None:
    try:
        return predecessor if list_needs(group)[0] else None
    except (IndexError, ValueError):  # too short to tell
        return None


def _decode_on_cpu(group: bytes, predecessor: bytes | None, raw_bytes: int) -> bytes | str:
    """Return what is restored, or what is said of the group."""
    out = bytearray(raw_bytes)
    try:
        _native.decode_blocks(group, predecessor, None, out, n_threads=1)
    except _native.CorruptBlocks as error:
        return str(error)
    return bytes(out)


def _decode_on_device(group: bytes, predecessor: bytes | None, raw_bytes: int) -> bytes | str:
    out = bytearray(raw_bytes)
    try:
        GpuBlockDecoder(SimulatedDevice()).decode_blocks(group, predecessor, None, memoryview(out), "group")
    except CorruptData as error:
        return str(error)
    return bytes(out)


@pytest.mark.parametrize("job", JOBS, ids=str)
def test_damage_is_treated_alike(job: RecipeJob) -> None:
    group, raw, predecessor = _make_group(job)
    rng = np.random.default_rng(11)
    n_refused = 0
    for _ in range(N_DAMAGES):
        damaged = bytearray(group)
        damaged[rng.integers(len(group))] ^= 1 << rng.integers(8)
        given = _pick_predecessor(bytes(damaged), predecessor)
        on_cpu = _decode_on_cpu(bytes(damaged), given, len(raw))
        on_device = _decode_on_device(bytes(damaged), given, len(raw))
        if isinstance(on_cpu, bytes):
            assert on_device == on_cpu
            continue
        n_refused += 1
        assert isinstance(on_device, str)
        if any(fault in on_device for fault in FAULTS):
            assert any(fault in on_cpu for fault in FAULTS), (on_cpu, on_device)
    assert n_refused > 0


@pytest.mark.parametrize("n_bytes_left", [0, 7, 50, 200, -1])
def test_a_group_that_is_cut_off(n_bytes_left: int) -> None:
    group, raw, _ = _make_group(JOBS[0])
    assert isinstance(_decode_on_device(group[:n_bytes_left], None, len(raw)), str)
