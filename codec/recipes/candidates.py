"""The recipes worth trying for each dtype. A new idea for a dtype is a line here; the planner does the rest."""

from weightzip.codec.format.block_group import Transform
from weightzip.codec.format.dtypes import DType
from weightzip.codec.recipes.recipe import Recipe

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


def list_recipes(dtype: DType, *, has_predecessor: bool) -> tuple[Recipe, ...]:
    """Return the recipes worth an estimate, those that decode fastest first, refinements after what they refine."""
    if dtype == DType.OPAQUE:
        return _OPAQUE_RECIPES
    if dtype in _MANTISSA_BITS:
        return _list_float_recipes(dtype, has_predecessor)
    recipes: tuple[Recipe, ...] = (Recipe(dtype.element_bytes, Transform.IDENTITY),)
    if has_predecessor:
        recipes += (Recipe(dtype.element_bytes, Transform.INTEGER_DIFFERENCE),)
    return recipes


def _list_float_recipes(dtype: DType, has_predecessor: bool) -> tuple[Recipe, ...]:
    size, shift = dtype.element_bytes, _MANTISSA_BITS[dtype]
    alone = Recipe(size, Transform.ROTATE)
    if not has_predecessor:
        return (alone,)
    return (
        alone,
        # Optimizer moments move so far between steps that only the old value's scale still helps.
        Recipe(size, Transform.ROTATE, _MAX_CONTEXTS, shift),
        Recipe(size, Transform.FLOAT_DIFFERENCE, _MAX_CONTEXTS, shift),
        # Half-octave bins.
        Recipe(size, Transform.FLOAT_DIFFERENCE, _MAX_CONTEXTS, shift - 1, refines=True),
    )
