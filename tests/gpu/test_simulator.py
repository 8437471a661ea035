"""The simulator keeps the rules of CUDA: masks, lanes that have left, barriers, schedules, and what it reports."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cudasim.module import BadLaunch, KernelFault, SimulatedModule
from cudasim.schedule import SCHEDULES

Words = NDArray[np.uint32]
SOURCE = Path(__file__).with_name("simulator_kernels.cu").read_text()


@pytest.fixture(params=SCHEDULES, ids=str)
def module(request: pytest.FixtureRequest) -> SimulatedModule:
    """Give the kernels under each schedule."""
    return SimulatedModule(SOURCE, schedule=request.param)


def _run(module: SimulatedModule, name: str, n: int, n_threads: int = 32, shared_mem: int = 0) -> Words:
    out = np.zeros(n, np.uint32)
    module.get_function(name)((1,), (n_threads,), (out,), shared_mem=shared_mem)
    return out


def test_halves_of_a_warp_meet_apart(module: SimulatedModule) -> None:
    lane = np.arange(32)
    down = np.where(lane + 2 < 32, lane + 2, lane)
    up = np.where(lane % 8 >= 1, np.roll(down, 1), down)
    expected = np.where(lane < 16, (lane ^ 1) + 0xAAAA, up) + 32
    assert _run(module, "use_masks", 32).tolist() == expected.tolist()


def test_lanes_that_left_are_not_waited_for(module: SimulatedModule) -> None:
    assert set(_run(module, "leave_early", 64, 64)[::2].tolist()) == {0x55555555 + 32}


def test_a_grid_of_partial_warps(module: SimulatedModule) -> None:
    n, totals, out = 77, np.zeros(3, np.uint32), np.zeros(6 * 77, np.uint32)
    module.get_function("sum_prefixes")((3, 2), (11, 7), (out, totals), shared_mem=4 * n)
    sums = np.concatenate([np.cumsum(np.arange(n) + block) for block in range(6)])
    assert out.tolist() == sums.tolist()
    assert totals.tolist() == [sums.sum(), sums.max(), 6]


def test_shared_memory_is_poisoned(module: SimulatedModule) -> None:
    assert set(_run(module, "read_poison", 32, shared_mem=512).tolist()) == {0xCDCDCDCD}


def test_bytes_move_as_on_the_device(module: SimulatedModule) -> None:
    moved = _run(module, "move_bytes", 32)
    assert moved[0] == 0x07050301 ^ 1
    assert moved[3] == 0x07050301 ^ (4 << 3) ^ (2 << 8)


def test_a_deadlock_is_described(module: SimulatedModule) -> None:
    with pytest.raises(
        KernelFault, match=r"deadlock: .*7 threads wait in __syncwarp\(mask 0x000000ff\) at line 48"
    ):
        _run(module, "wait_for_nobody", 32)


def test_a_vote_in_a_divergent_branch_is_an_error(module: SimulatedModule) -> None:
    with pytest.raises(KernelFault, match="warp diverged"):
        _run(module, "vote_apart", 32)


def test_a_mask_without_its_caller_is_an_error(module: SimulatedModule) -> None:
    with pytest.raises(KernelFault, match="leaves out the calling lane"):
        _run(module, "leave_out_the_caller", 32)


def test_a_block_too_large_for_any_device(module: SimulatedModule) -> None:
    with pytest.raises(BadLaunch):
        _run(module, "read_poison", 2048, 2048)


def test_an_unknown_kernel(module: SimulatedModule) -> None:
    with pytest.raises(KeyError):
        module.get_function("nothing")
