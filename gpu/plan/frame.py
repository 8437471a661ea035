"""A plan as the row of FRAME that the kernels read; its addresses are filled in when they are known."""

import numpy as np
from numpy.typing import NDArray

from weightzip.codec.reference.context_source import ContextRuns
from weightzip.gpu.plan.group import GroupPlan
from weightzip.gpu.plan.layout import FRAME
from weightzip.gpu.plan.shared_memory import divide_warp_memory
from weightzip.gpu.plan.tables import PlannedTables, find_escape_byte

_KEYS = np.arange(256)


def describe_frame(plan: GroupPlan, tables: PlannedTables) -> NDArray[np.void]:
    """Return a row of FRAME, an array without dimensions, whose addresses are 0."""
    recipe, row = plan.recipe, np.zeros((), FRAME)
    row["n_elements"] = plan.n_elements
    row["table_bytes"] = tables.table_bytes
    row["transform"] = recipe.transform
    row["block_log2"] = recipe.block_elements.bit_length() - 1
    row["predictor"] = recipe.predictor
    row["context_input"] = recipe.context_input
    row["companion_log2"] = max(recipe.companion_bytes.bit_length() - 1, 0)
    row["zero_bits"] = recipe.zero_bits
    if recipe.source is not None:
        row["key_shift"], row["key_base"] = recipe.source.key_shift, recipe.source.key_base
        row["context_of_key"] = _map_keys(recipe.source.runs)
    if recipe.low_contexts is not None:
        row["has_low_contexts"] = 1
        row["low_context_of_byte"] = _map_keys(recipe.low_contexts)
    if plan.factors is not None:
        row["n_sections"] = len(plan.factors.sections)
        row["mantissa_bits"] = plan.factors.mantissa_bits
        row["weight"] = plan.factors.weight
        row["step_log2"] = plan.factors.step_log2
    _describe_planes(row, plan, tables)
    divide_warp_memory(row, recipe.element_bytes)
    return row


def _map_keys(runs: ContextRuns) -> NDArray[np.uint8]:
    return runs.find_contexts(_KEYS).astype(np.uint8)


def _describe_planes(row: NDArray[np.void], plan: GroupPlan, tables: PlannedTables) -> None:
    n_streams = 0
    for k, plane in enumerate(plan.planes):
        described = row["planes"][k]
        described["tables"] = tables.offsets[k]
        described["mode"], described["prob_bits"] = plane.mode, plane.prob_bits
        described["n_tables"] = len(plane.tables)
        described["has_escape"] = any(table.has_escape for table in plane.tables)
        described["stream"] = n_streams
        escape_bytes = [find_escape_byte(table) for table in plane.tables]
        described["escape_bytes"][: len(escape_bytes)] = escape_bytes
        n_streams += bool(plane.tables)
    row["n_streams"] = n_streams
