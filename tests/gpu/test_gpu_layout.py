"""The structures that host and device share have the same fields at the same places on both sides."""

import re

import numpy as np
import pytest
from numpy.typing import NDArray

from cudasim.module import SimulatedModule
from weightzip.gpu.faults import FAULTS
from weightzip.gpu.plan import layout
from weightzip.gpu.source import read_source

SHARED = {
    "TableJob": layout.TABLE_JOB,
    "Payload": layout.PAYLOAD,
    "Plane": layout.PLANE,
    "Section": layout.SECTION,
    "Frame": layout.FRAME,
    "Work": layout.WORK,
}
ON_DEVICE = {"Stream": layout.STREAM_BYTES, "WarpMemory": layout.WARP_MEMORY_BYTES}


def _ask(expressions: list[str]) -> NDArray[np.uint32]:
    """Return what expressions of the kernels' source are worth."""
    stores = "".join(f"    out[{i}] = u32({expression});\n" for i, expression in enumerate(expressions))
    kernel = f'\nextern "C" __global__ void answer(u32* out) {{\n{stores}}}\n'
    out = np.zeros(len(expressions), np.uint32)
    source = read_source("decode_8_alone") + kernel
    SimulatedModule(source).get_function("answer")((1,), (1,), (out,))
    return out


@pytest.mark.parametrize("name", SHARED)
def test_a_structure_is_the_same_on_both_sides(name: str) -> None:
    dtype = SHARED[name]
    fields = dict(dtype.fields or {})
    answers = _ask([f"sizeof({name})", *(f"__builtin_offsetof({name}, {field})" for field in fields)])
    assert answers.tolist() == [dtype.itemsize, *(field[1] for field in fields.values())]


def test_shared_memory_is_counted_alike() -> None:
    assert _ask([f"sizeof({name})" for name in ON_DEVICE]).tolist() == list(ON_DEVICE.values())


def test_every_fault_has_words() -> None:
    bits = re.findall(r"constexpr u32 kFault\w+ = (\d+);", read_source("decode_8_alone"))
    assert [int(bit) for bit in bits] == [1 << number for number in range(len(FAULTS))]
