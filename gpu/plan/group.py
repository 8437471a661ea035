"""A block group, read up to its payloads: everything is checked that the kernels rely on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.reference.recipe import ContextInput, Predictor, Recipe, read_recipe
from weightzip.codec.reference.tables import PlaneTables, read_planes
from weightzip.codec.source import BytesLike
from weightzip.gpu.plan.factors import PlannedFactors, read_planned_factors
from weightzip.gpu.plan.payloads import read_payloads

_RECIPE_HEAD_BYTES = 7


@dataclass(frozen=True)
class GroupPlan:
    """`payloads` are rows of PAYLOAD, `area` is what they point into."""

    recipe: Recipe
    factors: PlannedFactors | None
    planes: list[PlaneTables]
    n_elements: int
    payloads: NDArray[np.void]
    area: memoryview

    @property
    def n_blocks(self) -> int:
        """Return how many blocks there are."""
        return len(self.payloads) // len(self.planes)


def plan_group(group: BytesLike, raw_bytes: int, place: str) -> GroupPlan:
    """Return the plan of a block group that restores raw_bytes (1 or more).

    Raises:
        CorruptData: it contradicts the format before its payloads.
    """
    cursor = Cursor(group, place)
    recipe = read_recipe(cursor, raw_bytes)
    n_elements = raw_bytes // recipe.element_bytes
    planes = read_planes(cursor, recipe.element_bytes, recipe.n_contexts, recipe.n_low_contexts)
    begins = range(0, n_elements, recipe.block_elements)
    block_elements = [min(recipe.block_elements, n_elements - begin) for begin in begins]
    payloads, area = read_payloads(cursor, planes, block_elements)
    has_factors = recipe.predictor == Predictor.FACTORS or recipe.context_input == ContextInput.SCALE
    factors = _read_factors(group, recipe, place) if has_factors else None
    return GroupPlan(recipe, factors, planes, n_elements, payloads, area)


def _read_factors(group: BytesLike, recipe: Recipe, place: str) -> PlannedFactors:
    cursor = Cursor(group, place)
    cursor.take(_RECIPE_HEAD_BYTES, "recipe")
    if recipe.source is not None:
        cursor.take(5, "key_shift and key_base")
        cursor.take(2 * (cursor.u8("n_runs") + 1), "runs")
    return read_planned_factors(cursor)
