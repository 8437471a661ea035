"""Chooses how one frame stores its bytes: the smallest of what its dtype allows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weightzip.codec.backend import BlockBackend
from weightzip.codec.compare import are_equal
from weightzip.codec.derivation import Derivation
from weightzip.codec.format.block_group import ContextInput, Predictor, Transform, decode_recipe_head
from weightzip.codec.format.data_frame import Method
from weightzip.codec.format.dtypes import DType
from weightzip.codec.recipes.candidates import list_recipes
from weightzip.codec.recipes.level import Level
from weightzip.codec.recipes.recipe import Recipe, Section
from weightzip.codec.source import BytesLike
from weightzip.codec.zstd import compress_zstd, has_repeats

_PROBE_BYTES = 4096
# What zstd finds in numbers it finds at a short distance; in text, which opaque bytes may be, farther away too.
_SAMPLE_BYTES = 4 << 10
_OPAQUE_SAMPLE_BYTES = 16 << 10
_N_SAMPLES = 4
# So few are built in both forms and measured. Then the tables of blocks may weigh more than what they tell.
_FEW_BYTES = 16 << 10
_FAR_TOO_MANY = float("inf")
# Estimates err by a few percent; within this margin both forms are built and measured.
_ESTIMATE_MARGIN = 1.05
# At the level max, refinements are tried whatever they refine, and recipes whose estimates are as near as this are all
# built and measured: second moments had come out larger than at the level default.
_RECIPE_MARGIN = 1.01
# What contexts by scale must save of differences, as a divisor of the size without them: their estimates promise more
# than those by exponent do, and they decode more slowly.
_SCALES_WORTH = 256
# Measured: more change nothing. They save .003 of bf16 alone, .0015 of fp32, and nothing of differences; they halve the
# decoder's speed.
_MAX_LOW_CONTEXTS = 16


@dataclass(frozen=True)
class Plan:
    """How a frame stores its bytes. `rest` is the method's part of the body."""

    method: Method
    rest: BytesLike
    transform: Transform = Transform.IDENTITY
    uses_predecessor: bool = False
    uses_companion: bool = False


@dataclass(frozen=True)
class _Inputs:
    """What the elements at hand may lean on."""

    predecessor: BytesLike | None
    companion: BytesLike | None
    sections: tuple[Section, ...]


def plan_frame(
    raw: BytesLike,
    predecessor: BytesLike | None,
    companion: BytesLike | None,
    dtype: DType,
    backend: BlockBackend,
    *,
    sections: tuple[Section, ...] = (),
    derivation: Derivation | None = None,
    level: Level = Level.DEFAULT,
) -> Plan:
    """Return the smallest form of raw that we know of at this level.

    `predecessor`, if any, is as long as raw; `companion`, if any, has as many elements. `sections`: see list_recipes.
    `derivation` is how raw follows from companion, None if it does not.
    """
    if predecessor is not None and are_equal(raw, predecessor):
        return Plan(Method.IDENTICAL, b"", uses_predecessor=True)
    element = _find_constant(raw, dtype.element_bytes)
    if element is not None and len(element) + 1 < len(raw):
        rest = bytes([dtype.element_bytes.bit_length() - 1]) + element
        return Plan(Method.CONSTANT, rest)
    if derivation is not None:
        return Plan(Method.DERIVED, bytes([derivation]), uses_companion=True)
    plans = [Plan(Method.STORED, raw)]
    inputs = _Inputs(predecessor if dtype != DType.OPAQUE else None, companion, sections)
    plan_coded = _plan_coded if len(raw) > _FEW_BYTES else _plan_both
    plans += plan_coded(raw, inputs, dtype, level, backend)
    return min(plans, key=lambda plan: len(plan.rest))


def _plan_coded(
    raw: BytesLike, inputs: _Inputs, dtype: DType, level: Level, backend: BlockBackend
) -> list[Plan]:
    """Return the zstd plan, the blocks plan, or both where their estimates are close."""
    recipes = _list_usable(raw, inputs, dtype, level)
    zstd_bytes = _estimate_zstd(raw, dtype)
    if len(recipes) == 1 and zstd_bytes == _FAR_TOO_MANY:
        return [_plan_blocks(raw, inputs, recipes[0], backend)]
    best, block_bytes = _choose_recipes(raw, inputs, recipes, level, backend)
    best_bytes = min(zstd_bytes, block_bytes)
    if best_bytes > len(raw) * _ESTIMATE_MARGIN:
        return []
    plans = []
    if zstd_bytes <= best_bytes * _ESTIMATE_MARGIN:
        plans.append(_plan_zstd(raw, level))
        # A few rows of zeros among the samples promise far too much: from here on the true size counts.
        best_bytes = min(len(plans[0].rest), block_bytes)
    if block_bytes <= best_bytes * _ESTIMATE_MARGIN:
        plans += [_plan_blocks(raw, inputs, recipe, backend) for recipe in best]
    return plans


def _plan_both(
    raw: BytesLike, inputs: _Inputs, dtype: DType, level: Level, backend: BlockBackend
) -> list[Plan]:
    """Return the zstd plan and the blocks plan of so few bytes that estimates would take as long."""
    plans = [_plan_zstd(raw, level)]
    recipes = _list_usable(raw, inputs, dtype, level)
    best = recipes if len(recipes) == 1 else _choose_recipes(raw, inputs, recipes, level, backend)[0]
    return plans + [_plan_blocks(raw, inputs, recipe, backend) for recipe in best]


def _plan_zstd(raw: BytesLike, level: Level) -> Plan:
    return Plan(Method.ZSTD, compress_zstd(raw, level.zstd_level))


def _plan_blocks(raw: BytesLike, inputs: _Inputs, recipe: Recipe, backend: BlockBackend) -> Plan:
    group = backend.encode_blocks(raw, inputs.predecessor, inputs.companion, recipe)
    head = decode_recipe_head(group, "a frame just encoded")
    return Plan(Method.BLOCKS, group, head.transform, head.needs_predecessor, head.needs_companion)


def _list_usable(raw: BytesLike, inputs: _Inputs, dtype: DType, level: Level) -> list[Recipe]:
    """Return the recipes that the level allows, and elements of whose size make up raw."""
    n_elements = len(raw) // dtype.element_bytes
    recipes = list_recipes(
        dtype,
        has_predecessor=inputs.predecessor is not None,
        companion_bytes=len(inputs.companion) // n_elements if inputs.companion is not None else 0,
        sections=inputs.sections,
        are_positive=_are_positive(raw, dtype.element_bytes),
    )
    usable = [
        recipe
        for recipe in recipes
        if recipe.level.rank <= level.rank and len(raw) % recipe.element_bytes == 0
    ]
    if level is not Level.MAX:
        return usable
    return [replace(recipe, max_low_contexts=_MAX_LOW_CONTEXTS) for recipe in usable]


def _choose_recipes(
    raw: BytesLike, inputs: _Inputs, recipes: Sequence[Recipe], level: Level, backend: BlockBackend
) -> tuple[Sequence[Recipe], float]:
    """Return the recipe with the smallest estimate (the first of equals), or those near it, and that estimate."""
    estimates: list[tuple[Recipe, float]] = []
    best: Recipe | None = None
    best_bytes = _FAR_TOO_MANY
    previous: Recipe | None = None
    for recipe in recipes:
        if recipe.refines and best is not previous and level is not Level.MAX:
            continue
        n_bytes = backend.estimate_blocks(raw, inputs.predecessor, inputs.companion, recipe)
        estimates.append((recipe, n_bytes))
        by_scale = recipe.context_input == ContextInput.SCALE and recipe.predictor != Predictor.NONE
        if n_bytes + (best_bytes / _SCALES_WORTH if by_scale else 0) < best_bytes:
            best, best_bytes = recipe, n_bytes
        previous = recipe
    if level is Level.MAX:
        return [recipe for recipe, n_bytes in estimates if n_bytes <= best_bytes * _RECIPE_MARGIN], best_bytes
    return [best] if best is not None else [], best_bytes


def _are_positive(raw: BytesLike, element_bytes: int) -> bool:
    """Return whether no element of those at the front, seen as floats, has a sign. A longer look costs more than it saves."""
    few = raw[element_bytes - 1 : 16 * element_bytes : element_bytes]
    if max(few, default=0) >= 128:  # that tells nearly always, and sooner
        return False
    tops = np.frombuffer(raw, dtype=np.uint8)[element_bytes - 1 : _PROBE_BYTES : element_bytes]
    return bool((tops < 128).all())


def _estimate_zstd(raw: BytesLike, dtype: DType) -> float:
    """Return about how long raw is in zstd, from samples.

    Numbers of which nothing is repeated leave it the frequencies of bytes, which blocks know for each place in an
    element: far too many bytes then.
    """
    sample = _take_samples(raw, _OPAQUE_SAMPLE_BYTES if dtype == DType.OPAQUE else _SAMPLE_BYTES)
    if dtype.element_bytes > 1 and not has_repeats(sample):
        return _FAR_TOO_MANY
    return len(compress_zstd(sample)) * len(raw) / len(sample)


def _take_samples(raw: BytesLike, sample_bytes: int) -> BytesLike:
    """Return evenly spaced samples, or raw if it is not longer than they are."""
    n_bytes = len(raw)
    if n_bytes <= _N_SAMPLES * sample_bytes:
        return raw
    step = (n_bytes - sample_bytes) // (_N_SAMPLES - 1)
    return b"".join(raw[begin * step : begin * step + sample_bytes] for begin in range(_N_SAMPLES))


def _find_constant(raw: BytesLike, element_bytes: int) -> bytes | None:
    """Return the element if raw is one element repeated, else None."""
    if len(raw) % element_bytes != 0:
        return None
    element = bytes(raw[:element_bytes])
    n_probe = min(_PROBE_BYTES, len(raw)) // element_bytes
    if raw[: n_probe * element_bytes] != element * n_probe:
        return None
    elements = np.frombuffer(raw, dtype=f"<u{element_bytes}")
    return element if bool((elements == elements[0]).all()) else None
