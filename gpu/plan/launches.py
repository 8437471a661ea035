"""Which kernel decodes which frames, several a launch."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightzip.gpu.plan.group import GroupPlan
from weightzip.gpu.plan.layout import WORK
from weightzip.gpu.plan.shared_memory import SharedMemory, share_memory


@dataclass(frozen=True)
class DecodeLaunch:
    """`work` are rows of WORK, one a block of threads."""

    kernel: str
    n_warps: int
    shared_bytes: int
    work: NDArray[np.void]


def plan_launches(plans: Sequence[GroupPlan], rows: NDArray[np.void]) -> list[DecodeLaunch]:
    """Return the launches for plans with their rows of FRAME."""
    groups: dict[tuple[str, int], list[tuple[int, SharedMemory]]] = defaultdict(list)
    for number, plan in enumerate(plans):
        memory = share_memory(rows[number])
        groups[_name_kernel(plan, memory), memory.n_warps].append((number, memory))
    return [
        DecodeLaunch(
            kernel,
            n_warps,
            max(memory.n_bytes for _, memory in members),
            np.concatenate([_divide(number, plans[number].n_blocks, n_warps) for number, _ in members]),
        )
        for (kernel, n_warps), members in groups.items()
    ]


def _name_kernel(plan: GroupPlan, memory: SharedMemory) -> str:
    recipe = plan.recipe
    kind = "alone"
    if not memory.has_tables:
        kind = "spacious"
    elif plan.factors is not None:
        kind = "scaled"
    elif recipe.predictor or recipe.context_input or recipe.low_contexts is not None:
        kind = "moved"
    return f"decode_{8 * recipe.element_bytes}_{kind}"


def _divide(frame: int, n_blocks: int, n_warps: int) -> NDArray[np.void]:
    """Return work of n_warps blocks each."""
    begins = np.arange(0, n_blocks, n_warps)
    work = np.zeros(len(begins), WORK)
    work["frame"], work["first_block"] = frame, begins
    work["n_blocks"] = np.minimum(n_blocks - begins, n_warps)
    return work
