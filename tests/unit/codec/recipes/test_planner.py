"""The planner takes the smallest form, and every form restores."""

import os

import numpy as np
import pytest

from shards.build import to_bf16
from weightzip.codec.backend import CpuBackend
from weightzip.codec.derivation import Derivation, derive, find_derivation
from weightzip.codec.format.block_group import ContextInput, Transform, decode_recipe_head
from weightzip.codec.format.data_frame import Method
from weightzip.codec.format.dtypes import DType
from weightzip.codec.recipes.level import Level
from weightzip.codec.recipes.planner import Plan, plan_frame
from weightzip.codec.recipes.recipe import Section

BACKEND = CpuBackend(1)
RNG = np.random.default_rng(3)
WEIGHTS = (RNG.standard_normal(40_000) * 0.02).astype(np.float32)
MOVED = (WEIGHTS * (1 + 0.001 * RNG.standard_normal(40_000))).astype(np.float32)


def _plan(raw: bytes, predecessor: bytes | None, dtype: DType) -> Plan:
    plan = plan_frame(raw, predecessor, None, dtype, BACKEND)
    assert len(plan.rest) <= len(raw)
    return plan


def test_equal_bytes_cost_nothing() -> None:
    plan = _plan(WEIGHTS.tobytes(), WEIGHTS.tobytes(), DType.F32)
    assert (plan.method, plan.uses_predecessor, len(plan.rest)) == (Method.IDENTICAL, True, 0)


@pytest.mark.parametrize("dtype", [DType.F32, DType.BF16, DType.F64, DType.U8, DType.OPAQUE])
def test_one_repeated_element_is_kept_once(dtype: DType) -> None:
    element = bytes(range(1, dtype.element_bytes + 1))
    plan = _plan(element * 10_000, None, dtype)
    assert (plan.method, bytes(plan.rest[1:])) == (Method.CONSTANT, element)


def test_weights_alone_are_rotated() -> None:
    plan = _plan(to_bf16(WEIGHTS), None, DType.BF16)
    assert (plan.method, plan.transform, plan.uses_predecessor) == (Method.BLOCKS, Transform.ROTATE, False)
    assert len(plan.rest) < 0.7 * 2 * len(WEIGHTS)


@pytest.mark.parametrize(
    ("dtype", "raw", "predecessor"),
    [
        (DType.F32, MOVED.tobytes(), WEIGHTS.tobytes()),
        (DType.BF16, to_bf16(MOVED), to_bf16(WEIGHTS)),
        (DType.F16, MOVED.astype(np.float16).tobytes(), WEIGHTS.astype(np.float16).tobytes()),
        (DType.F64, MOVED.astype(np.float64).tobytes(), WEIGHTS.astype(np.float64).tobytes()),
    ],
)
def test_weights_that_moved_a_little_are_differences(dtype: DType, raw: bytes, predecessor: bytes) -> None:
    plan = _plan(raw, predecessor, dtype)
    assert (plan.method, plan.transform) == (Method.BLOCKS, Transform.FLOAT_DIFFERENCE)
    assert len(plan.rest) < len(plan_frame(raw, None, None, dtype, BACKEND).rest)


def test_an_unrelated_predecessor_is_not_used() -> None:
    other = RNG.standard_normal(40_000).astype(np.float32)
    assert not _plan(WEIGHTS.tobytes(), other.tobytes(), DType.F32).uses_predecessor


def test_counters_that_moved_are_integer_differences() -> None:
    old = RNG.integers(0, 1 << 40, 20_000).astype("<i8")
    new = old + RNG.integers(0, 3, 20_000)
    plan = _plan(new.tobytes(), old.tobytes(), DType.I64)
    assert plan.transform == Transform.INTEGER_DIFFERENCE


def test_noise_is_stored() -> None:
    assert _plan(os.urandom(100_000), None, DType.U8).method == Method.STORED


def test_text_goes_to_zstd() -> None:
    assert _plan(b"the same words again and again, " * 3000, None, DType.OPAQUE).method == Method.ZSTD


def test_floats_of_unknown_format_are_still_found() -> None:
    plan = _plan(WEIGHTS.tobytes(), None, DType.OPAQUE)
    assert (plan.method, plan.transform) == (Method.BLOCKS, Transform.ROTATE)


@pytest.mark.parametrize("n_bytes", [1, 2, 3, 5, 7, 4001])
def test_odd_lengths_have_a_plan(n_bytes: int) -> None:
    assert _plan(os.urandom(n_bytes), os.urandom(n_bytes), DType.OPAQUE)


def test_rows_of_zeros_at_the_ends_do_not_lure_the_planner_into_zstd() -> None:
    """The samples of zstd's estimate lie at both ends too: an embedding whose first and last rows never trained."""
    values = np.random.default_rng(3).standard_normal(1 << 18).astype(np.float32)
    values[: 1 << 13] = values[-(1 << 13) :] = 0
    plan = _plan(values.tobytes(), None, DType.F32)
    assert plan.method == Method.BLOCKS


def test_numbers_that_repeat_a_few_values_still_meet_zstd() -> None:
    """A row of a quantized matrix: few values, of which no plane alone tells."""
    noise = np.random.default_rng(3)
    values = noise.standard_normal(64).astype(np.float32)[noise.integers(0, 64, 1 << 18)]
    assert _plan(values.tobytes(), None, DType.F32).method == Method.ZSTD


def _plan_beside(raw: bytes, companion: bytes, dtype: DType, predecessor: bytes | None = None) -> Plan:
    return plan_frame(raw, predecessor, companion, dtype, BACKEND, derivation=find_derivation(raw, companion))


@pytest.mark.parametrize(
    ("dtype", "raw", "derivation"),
    [
        (DType.BF16, to_bf16(WEIGHTS), Derivation.BF16_TRUNCATED),
        (DType.BF16, derive(WEIGHTS.tobytes(), Derivation.BF16_NEAREST_EVEN), Derivation.BF16_NEAREST_EVEN),
        (DType.F16, WEIGHTS.astype(np.float16).tobytes(), Derivation.FP16_NEAREST_EVEN),
        (DType.U16, WEIGHTS.view(np.uint16)[::2].tobytes(), Derivation.LOWER_HALF),
    ],
)
def test_what_follows_from_master_weights_costs_nothing(
    dtype: DType, raw: bytes, derivation: Derivation
) -> None:
    plan = _plan_beside(raw, WEIGHTS.tobytes(), dtype, predecessor=bytes(len(raw)))
    assert plan == Plan(Method.DERIVED, bytes([derivation]), uses_companion=True)


def test_one_element_that_does_not_follow_is_noticed() -> None:
    raw = bytearray(to_bf16(WEIGHTS))
    raw[-1] ^= 1
    plan = _plan_beside(bytes(raw), WEIGHTS.tobytes(), DType.BF16)
    assert (plan.method, plan.uses_companion) == (Method.BLOCKS, False)


def test_first_moments_are_told_by_second_ones() -> None:
    scale = np.exp(RNG.standard_normal(40_000) * 2).astype(np.float32)
    first = (RNG.standard_normal(40_000) * scale).astype(np.float32)
    plan = _plan_beside(first.tobytes(), (scale * scale).tobytes(), DType.F32)
    assert (plan.method, plan.uses_predecessor, plan.uses_companion) == (Method.BLOCKS, False, True)
    assert len(plan.rest) < 0.98 * len(plan_frame(first.tobytes(), None, None, DType.F32, BACKEND).rest)


def test_weights_that_moved_as_rows_and_columns_tell_have_contexts_of_scales() -> None:
    rows, columns = np.exp2(RNG.standard_normal((2, 200)))
    moved = WEIGHTS + 1e-5 * (np.outer(rows, columns).ravel() * RNG.standard_normal(40_000)).astype(
        np.float32
    )
    sections = (Section(40_000, 200, 0),)
    sizes = {}
    for level in Level:
        plan = plan_frame(
            moved.tobytes(), WEIGHTS.tobytes(), None, DType.F32, BACKEND, sections=sections, level=level
        )
        sizes[level] = len(plan.rest)
        assert (plan.transform, plan.uses_predecessor) == (Transform.FLOAT_DIFFERENCE, True)
        head = decode_recipe_head(plan.rest, "x")
        by_scales = head.context_input == ContextInput.SCALE
        assert by_scales == (level != Level.FAST)
    assert sizes[Level.DEFAULT] < 0.99 * sizes[Level.FAST]


def test_contexts_of_scales_alone_are_for_the_level_that_may_take_time() -> None:
    values = (np.exp2(2 * RNG.standard_normal((200, 1))) * RNG.standard_normal((200, 200))).astype(np.float32)
    sections = (Section(40_000, 200, 0),)
    fast, default, most = (
        plan_frame(values.tobytes(), None, None, DType.F32, BACKEND, sections=sections, level=level)
        for level in Level
    )
    assert fast == default
    assert len(most.rest) < 0.98 * len(default.rest)


def test_low_contexts_are_for_the_level_that_may_take_time() -> None:
    places = RNG.integers(0, 8, 40_000)
    values = np.exp2(-places) * (1 + (RNG.integers(0, 128, 40_000) >> places << places) / 128)
    raw = to_bf16(values.astype(np.float32))
    fast, default, most = (plan_frame(raw, None, None, DType.BF16, BACKEND, level=level) for level in Level)
    assert fast == default
    assert len(most.rest) < 0.95 * len(default.rest)


def test_second_moments_are_products_of_factors() -> None:
    rows, columns = np.exp(3 * RNG.standard_normal((2, 200)))
    values = (np.outer(rows, columns) * (1 + 0.01 * RNG.standard_normal((200, 200)))).astype(np.float32)
    alone = plan_frame(values.tobytes(), None, None, DType.F32, BACKEND)
    sections = (Section(40_000, 200, 0),)
    plan = plan_frame(values.tobytes(), None, None, DType.F32, BACKEND, sections=sections)
    assert (plan.transform, plan.uses_predecessor) == (Transform.FLOAT_DIFFERENCE, False)
    assert len(plan.rest) < 0.9 * len(alone.rest)
