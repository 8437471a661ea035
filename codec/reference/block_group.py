"""A whole block group (docs/format.md, "Block group")."""

import numpy as np
import numpy.typing as npt

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.reference.elements import Elements, Numbers, view_elements
from weightzip.codec.reference.planes import PayloadArea, read_plane
from weightzip.codec.reference.recipe import ContextInput, Predictor, Recipe, read_recipe
from weightzip.codec.reference.tables import LOW_CONTEXTS, PlaneTables, read_planes
from weightzip.codec.reference.transforms import invert_transform, join_planes
from weightzip.codec.source import BytesLike


def decode_block_group(
    group: BytesLike,
    raw_bytes: int,
    *,
    predecessor: BytesLike | None = None,
    companion: BytesLike | None = None,
    place: str = "block group",
) -> bytes:
    """Return the raw_bytes (1 or more) that a block group restores.

    Raises:
        CorruptData: the group contradicts the document, or does not fit the inputs.
    """
    cursor = Cursor(group, place)
    recipe = read_recipe(cursor, raw_bytes)
    n_elements = raw_bytes // recipe.element_bytes
    _check_inputs(cursor, recipe, n_elements, predecessor, companion)
    p = None if predecessor is None else view_elements(predecessor, recipe.element_bytes)
    c = None if companion is None else view_elements(companion, recipe.companion_bytes)
    scales = _find_scales(recipe, p)
    predicted = scales if recipe.predictor == Predictor.FACTORS else p
    contexts = _find_contexts(recipe, n_elements, {1: p, 2: c, 3: scales})
    u = _read_coded(cursor, recipe, contexts)
    cursor.finish("the payload area")
    return invert_transform(recipe.transform, u, predicted, recipe.zero_bits).tobytes()


def _check_inputs(
    cursor: Cursor,
    recipe: Recipe,
    n_elements: int,
    predecessor: BytesLike | None,
    companion: BytesLike | None,
) -> None:
    predecessor_bytes = n_elements * recipe.element_bytes if recipe.needs_predecessor else None
    companion_bytes = n_elements * recipe.companion_bytes if recipe.companion_bytes else None
    for name, given, needed in (
        ("predecessor", predecessor, predecessor_bytes),
        ("companion", companion, companion_bytes),
    ):
        given_bytes = None if given is None else len(given)
        cursor.expect(
            given_bytes == needed, f"its recipe asks for {needed} bytes of {name}, there are {given_bytes}"
        )


def _find_scales(recipe: Recipe, p: Elements | None) -> Elements | None:
    """Return the scale of every element, None without factors."""
    if recipe.factors is None:
        return None
    return recipe.factors.find_scales(p if recipe.factors.weight else None, recipe.element_bytes)


def _find_contexts(recipe: Recipe, n_elements: int, inputs: dict[int, Elements | None]) -> Numbers:
    picked = inputs[recipe.context_input] if recipe.context_input != ContextInput.NONE else None
    if recipe.source is None or picked is None:
        return np.zeros(n_elements, dtype=np.int64)
    return recipe.source.find_contexts(picked)


def _read_coded(cursor: Cursor, recipe: Recipe, contexts: Numbers) -> Elements:
    """Return u of every element, block by block."""
    n_planes = recipe.element_bytes
    planes = read_planes(cursor, n_planes, recipe.n_contexts, recipe.n_low_contexts)
    begins = range(0, len(contexts), recipe.block_elements)
    entries = cursor.column("<u4", len(begins) * n_planes, "block table").reshape(-1, n_planes)
    area = PayloadArea(cursor)
    blocks = [
        _read_block(area, recipe, planes, row.tolist(), contexts[begin : begin + recipe.block_elements])
        for begin, row in zip(begins, entries, strict=True)
    ]
    return np.concatenate(blocks)


def _read_block(
    area: PayloadArea, recipe: Recipe, planes: list[PlaneTables], entries: list[int], contexts: Numbers
) -> Elements:
    """Return u of every element of a block. The top plane comes first: the low contexts are those of its bytes."""
    low_contexts = np.zeros_like(contexts)
    read: list[npt.NDArray[np.uint8]] = []
    for entry, plane in zip(entries, planes, strict=True):
        read.append(read_plane(area, entry, plane, low_contexts if plane.mode == LOW_CONTEXTS else contexts))
        if len(read) == 1 and recipe.low_contexts is not None:
            low_contexts = recipe.low_contexts.find_contexts(read[0])
    return join_planes(read)
