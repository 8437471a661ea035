"""Every golden archive decodes with the kernels to the bytes that the CPU restores."""

from pathlib import Path

import pytest

from cudasim.device import SimulatedDevice
from cudasim.golden_archives import VECTORS, decode_vector
from cudasim.schedule import SCHEDULES, Schedule

# All that the kernels do, in little.
_EVERY_SCHEDULE = (
    "bf16-moved",
    "companion",
    "factors-sections",
    "low-contexts",
    "narrow",
    "scales-bf16",
    "step-moved",
)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda path: path.stem)
def test_a_golden_archive(vector: Path) -> None:
    assert decode_vector(vector, SimulatedDevice()) == vector.with_suffix(".raw").read_bytes()


@pytest.mark.parametrize("schedule", SCHEDULES[1:], ids=str)
@pytest.mark.parametrize("name", _EVERY_SCHEDULE)
def test_every_schedule_gives_the_same(name: str, schedule: Schedule) -> None:
    (vector,) = (path for path in VECTORS if path.stem == name)
    assert decode_vector(vector, SimulatedDevice(schedule)) == vector.with_suffix(".raw").read_bytes()
