"""Several block groups in one call: each to its own place, each fault to its own group."""

from dataclasses import dataclass

import pytest

from cudasim.device import SimulatedBuffer, SimulatedDevice
from support.handmade_groups import (
    BY_PREDECESSOR,
    BY_SCALE,
    FLOAT_DIFFERENCE,
    FROM_FACTORS,
    FROM_PREDECESSOR,
    ROTATE,
)
from support.recipe_jobs import RecipeJob, encode_job, make_moments
from weightzip.errors import CorruptData
from weightzip.gpu.decode import DecodeTask, decode_groups
from weightzip.gpu.plan.group import GroupPlan, plan_group
from weightzip.gpu.plan.payloads import RANS

JOBS = (
    RecipeJob(2, ROTATE),
    RecipeJob(4, FLOAT_DIFFERENCE, FROM_PREDECESSOR, BY_PREDECESSOR),
    RecipeJob(2, ROTATE, max_low_contexts=8),
    RecipeJob(4, FLOAT_DIFFERENCE, FROM_FACTORS, BY_SCALE, 0, 23, 17, 5),
    RecipeJob(2, ROTATE),
    RecipeJob(8, FLOAT_DIFFERENCE, FROM_PREDECESSOR),
)


@dataclass(frozen=True)
class _Case:
    raw: bytes
    task: DecodeTask
    held: tuple[SimulatedBuffer, ...]


def _spoil_words(group: bytes, plan: GroupPlan) -> bytes:
    """Return the group with a bit changed in the last word of its first rANS payload."""
    _, n_bytes, offset = plan.payloads[plan.payloads["storage"] == RANS][0].tolist()
    spoiled = bytearray(group)
    spoiled[len(group) - len(plan.area) + offset + n_bytes - 1] ^= 1
    return bytes(spoiled)


def _make_case(device: SimulatedDevice, number: int, job: RecipeJob, *, is_damaged: bool = False) -> _Case:
    raw, predecessor = make_moments(700 + 100 * number, job.element_bytes, seed=number)
    group = encode_job(job, raw, predecessor, b"")
    plan = plan_group(group, len(raw), f"frame {number}")
    if is_damaged:
        plan = plan_group(_spoil_words(group, plan), len(raw), f"frame {number}")
    out, given = device.allocate(len(raw)), device.upload(bytearray(predecessor))
    address = given.address if plan.recipe.needs_predecessor else 0
    task = DecodeTask(plan, address, 0, out.address, f"frame {number}")
    return _Case(raw, task, (out, given))


def test_groups_of_many_recipes() -> None:
    device = SimulatedDevice()
    cases = [_make_case(device, number, job) for number, job in enumerate(JOBS)]
    decode_groups(device, [case.task for case in cases])
    for case in cases:
        assert device.download(case.task.out, len(case.raw)).tobytes() == case.raw
    n_decoding = sum(name.startswith("decode") for name in device.launched)
    assert n_decoding < len(cases)


def test_a_fault_is_that_of_its_group() -> None:
    device = SimulatedDevice()
    cases = [_make_case(device, number, JOBS[1], is_damaged=number == 2) for number in range(4)]
    with pytest.raises(CorruptData, match=r"^frame 2: "):
        decode_groups(device, [case.task for case in cases])
