"""Every kernel compiles for every architecture we name, and takes no more registers than its budget."""

import json
from pathlib import Path

import pytest

from cubins.nvrtc import CompileError, compile_cubin
from cubins.resources import read_resources
from weightzip.gpu.source import KERNELS, read_source

BUDGET: dict[str, dict[str, int]] = json.loads(Path(__file__).with_name("kernel_budget.json").read_text())
MAIN_KERNELS = ("decode_16_alone", "decode_16_moved", "decode_32_alone", "decode_32_moved")
MAX_MAIN_REGISTERS = 40


@pytest.mark.parametrize("architecture", BUDGET)
def test_no_kernel_exceeds_its_budget(architecture: str) -> None:
    """Neither a stack nor spilled registers are in any budget."""
    for kernel in KERNELS:
        resources = read_resources(compile_cubin(read_source(kernel), architecture).log)[kernel]
        assert resources.spill_bytes == 0, kernel
        assert resources.stack_bytes == 0, kernel
        assert resources.registers <= BUDGET[architecture][kernel], kernel


def test_the_budget_names_every_kernel() -> None:
    assert all(sorted(kernels) == sorted(KERNELS) for kernels in BUDGET.values())


def test_main_kernels_leave_room_for_many_warps() -> None:
    assert all(BUDGET["sm_90"][kernel] <= MAX_MAIN_REGISTERS for kernel in MAIN_KERNELS)


def test_what_is_not_cuda_is_refused() -> None:
    with pytest.raises(CompileError, match="error"):
        compile_cubin("no kernel", "sm_90")
