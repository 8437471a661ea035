"""The recipes worth trying for each dtype. A new idea for a dtype is a line here; the planner does the rest."""

from dataclasses import replace
from functools import lru_cache

from weightzip.codec.format.block_group import ContextInput, Predictor, Transform
from weightzip.codec.format.dtypes import DType
from weightzip.codec.recipes.level import Level
from weightzip.codec.recipes.recipe import Recipe, Section

# Bits below the exponent: the predecessor's exponent is the scale of its change.
_MANTISSA_BITS = {
    DType.F64: 52,
    DType.F32: 23,
    DType.C64: 23,
    DType.F16: 10,
    DType.BF16: 7,
    DType.F8_E4M3: 3,
    DType.F8_E4M3FNUZ: 3,
    DType.F8_E5M2: 2,
    DType.F8_E5M2FNUZ: 2,
}
_MAX_CONTEXTS = 16

# Bytes of unknown meaning are often floats in a container we cannot read; its writers align them to 4 or more.
_OPAQUE_RECIPES = (
    Recipe(1, Transform.IDENTITY),
    Recipe(2, Transform.ROTATE),
    Recipe(4, Transform.ROTATE),
)


def list_recipes(
    dtype: DType,
    *,
    has_predecessor: bool,
    companion_bytes: int = 0,
    sections: tuple[Section, ...] = (),
    are_positive: bool = False,
) -> tuple[Recipe, ...]:
    """Return the recipes worth an estimate, those that decode fastest first, refinements after what they refine.

    `companion_bytes` is the size of a companion's elements, 0 without one; `sections` say how the elements lie in
    matrices, and are empty where rows and columns are not known. Positive elements may be products of factors.
    """
    if dtype == DType.OPAQUE:
        return _OPAQUE_RECIPES
    if dtype in _MANTISSA_BITS:
        recipes = _list_float_recipes(dtype, has_predecessor, sections)
        if companion_bytes == dtype.element_bytes:
            recipes += _list_companion_recipes(dtype)
        return recipes + (_list_factor_recipes(dtype, sections) if sections and are_positive else ())
    recipes = (Recipe(dtype.element_bytes, Transform.IDENTITY),)
    if has_predecessor:
        difference = Transform.INTEGER_DIFFERENCE
        recipes += (Recipe(dtype.element_bytes, difference, predictor=Predictor.PREDECESSOR),)
    return recipes


# Asked for every frame, and tensors of a model have few shapes.
@lru_cache(maxsize=256)
def _list_float_recipes(
    dtype: DType, has_predecessor: bool, sections: tuple[Section, ...]
) -> tuple[Recipe, ...]:
    size, shift = dtype.element_bytes, _MANTISSA_BITS[dtype]
    alone = Recipe(size, Transform.ROTATE)
    if not has_predecessor:
        # It saves .002 of a model alone, and takes a third of the decoder's speed.
        by_scale = _use_scales(alone, dtype, sections, Level.MAX)
        return (alone, by_scale) if _may_vary(sections) else (alone,)
    in_context = Recipe(size, Transform.ROTATE, _MAX_CONTEXTS, shift, context_input=ContextInput.PREDECESSOR)
    difference = replace(in_context, transform=Transform.FLOAT_DIFFERENCE, predictor=Predictor.PREDECESSOR)
    return (
        alone,
        # Optimizer moments move so far between steps that only the old value's scale still helps.
        in_context,
        difference,
        # Half-octave bins.
        _use_scales(difference, dtype, sections, Level.DEFAULT)
        if _may_vary(sections)
        else replace(difference, key_shift=shift - 1, refines=True),
    )


def _may_vary(sections: tuple[Section, ...]) -> bool:
    """Return whether scales may differ: between rows, columns or sections."""
    return len(sections) > 1 or any(section.n_columns > 0 for section in sections)


def _use_scales(recipe: Recipe, dtype: DType, sections: tuple[Section, ...], level: Level) -> Recipe:
    """Return the recipe with contexts of how large rows and columns are, or change."""
    shift = _MANTISSA_BITS[dtype]
    return replace(
        recipe,
        max_contexts=_MAX_CONTEXTS,
        key_shift=shift - 1,
        context_input=ContextInput.SCALE,
        mantissa_bits=shift,
        sections=sections,
        refines=True,
        level=level,
    )


def _list_companion_recipes(dtype: DType) -> tuple[Recipe, ...]:
    """Return the recipes for values whose scale is told by those beside them, such as exp_avg by exp_avg_sq."""
    size, shift = dtype.element_bytes, _MANTISSA_BITS[dtype]
    given_scale = Recipe(
        size,
        Transform.ROTATE,
        _MAX_CONTEXTS,
        shift,
        context_input=ContextInput.COMPANION,
        companion_bytes=size,
    )
    return (given_scale, replace(given_scale, key_shift=shift - 1, refines=True))


def _list_factor_recipes(dtype: DType, sections: tuple[Section, ...]) -> tuple[Recipe, ...]:
    """Return the recipes for matrices of positive values, such as exp_avg_sq."""
    predicted = Recipe(
        dtype.element_bytes,
        Transform.FLOAT_DIFFERENCE,
        predictor=Predictor.FACTORS,
        mantissa_bits=_MANTISSA_BITS[dtype],
        sections=sections,
    )
    # Rows that are seldom in use, such as those of rare tokens, follow the law less closely.
    return (predicted, _use_scales(predicted, dtype, sections, Level.DEFAULT))
