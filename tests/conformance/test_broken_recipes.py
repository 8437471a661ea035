"""Recipes and factors that break one rule each: the reference says which, the native core refuses them too."""

import struct

import numpy as np
import pytest

from support.handmade_groups import (
    BY_COMPANION,
    BY_PREDECESSOR,
    BY_SCALE,
    FLOAT_DIFFERENCE,
    FROM_FACTORS,
    FROM_PREDECESSOR,
    IDENTITY,
    INTEGER_DIFFERENCE,
    NO_CONTEXT,
    NO_PREDICTOR,
    ROTATE,
    HandSection,
    build_raw_group,
    write_context_source,
    write_factors,
    write_low_contexts,
    write_recipe,
)
from weightzip.codec import _native
from weightzip.codec.reference import decode_block_group
from weightzip.errors import CorruptData

N_ELEMENTS = 40
ALL = HandSection(N_ELEMENTS, 4, 0, 5, (0,) * 10, (0,) * 4)
SOURCE = write_context_source(0, 0, [(0, 254), (1, 255)])


def _factors(
    *sections: HandSection, mantissa_bits: int = 7, weight: int = 0, step_log2: int = 0, order: int = 4
) -> bytes:
    return write_factors(mantissa_bits, weight, step_log2, sections or [ALL], order=order)


def _by_factors(factors: bytes, element_bytes: int = 2) -> bytes:
    return write_recipe(element_bytes, INTEGER_DIFFERENCE, predictor=FROM_FACTORS, factors=factors)


def _by_scales(predictor: int, factors: bytes) -> bytes:
    return write_recipe(
        2,
        INTEGER_DIFFERENCE if predictor else IDENTITY,
        n_contexts=2,
        predictor=predictor,
        context_input=BY_SCALE,
        source=SOURCE,
        factors=factors,
    )


def _with_byte(recipe: bytes, place: int, value: int) -> bytes:
    return recipe[:place] + bytes([value]) + recipe[place + 1 :]


def _contexts(transform: int, predictor: int, context_input: int, n_contexts: int = 2) -> bytes:
    source = SOURCE if n_contexts > 1 else b""
    return write_recipe(
        2, transform, n_contexts=n_contexts, predictor=predictor, context_input=context_input, source=source
    )


PLAIN = write_recipe(2, IDENTITY)
RULES: dict[str, tuple[bytes, str]] = {
    "element_log2": (_with_byte(PLAIN, 0, 4), "element_log2 4"),
    "transform": (_with_byte(PLAIN, 1, 4), "transform 4"),
    "small blocks": (_with_byte(PLAIN, 2, 9), "block_log2 9"),
    "large blocks": (_with_byte(PLAIN, 2, 17), "block_log2 17"),
    "no context": (_with_byte(PLAIN, 3, 0), "no context"),
    "33 contexts": (_with_byte(PLAIN, 3, 33), "n_contexts 33"),
    "predictor": (_with_byte(PLAIN, 4, 3), "predictor 3"),
    "context_input": (_with_byte(PLAIN, 5, 4), "context_input 4"),
    "companion_log2": (_with_byte(PLAIN, 6, 4), "companion_log2 4"),
    "companion_log2 without a companion": (_with_byte(PLAIN, 6, 1), "without a companion"),
    "a difference to nothing": (_with_byte(PLAIN, 1, FLOAT_DIFFERENCE), "transform and predictor"),
    "a prediction for nothing": (_with_byte(PLAIN, 4, FROM_PREDECESSOR), "transform and predictor"),
    "factors for nothing": (_with_byte(PLAIN, 4, FROM_FACTORS) + _factors(), "transform and predictor"),
    "contexts of nothing": (_contexts(IDENTITY, NO_PREDICTOR, NO_CONTEXT), "contexts and context_input"),
    "one context of something": (
        _contexts(IDENTITY, NO_PREDICTOR, BY_PREDECESSOR, n_contexts=1),
        "contexts and context_input",
    ),
    "one context of a companion": (
        _contexts(IDENTITY, NO_PREDICTOR, BY_COMPANION, n_contexts=1),
        "contexts and context_input",
    ),
    "one low context": (write_recipe(2, IDENTITY, low_contexts=b"\1\0\0\xff"), "n_low_contexts 1"),
    "33 low contexts": (write_recipe(2, IDENTITY, low_contexts=b"\x21\0\0\xff"), "n_low_contexts 33"),
    "a low context that does not exist": (
        write_recipe(2, IDENTITY, low_contexts=write_low_contexts(2, [(2, 255)])),
        "does not exist",
    ),
    "low contexts that end early": (
        write_recipe(2, IDENTITY, low_contexts=write_low_contexts(2, [(1, 254)])),
        "does not end at 255",
    ),
    "zero bits of all bits": (write_recipe(2, ROTATE, zero_bits=16), "zero_bits 16"),
    "zero bits without a transform": (write_recipe(2, IDENTITY, zero_bits=8), "without a transform"),
    "no mantissa": (_by_factors(_factors(mantissa_bits=0)), "mantissa_bits 0"),
    "no exponent": (_by_factors(_factors(mantissa_bits=15)), "mantissa_bits 15"),
    "less than no exponent": (_by_factors(_factors(mantissa_bits=255)), "mantissa_bits 255"),
    "an exponent of 12 bits": (_by_factors(_factors(mantissa_bits=3)), "mantissa_bits 3"),
    "a mantissa of 53 bits": (_by_factors(_factors(mantissa_bits=53), 8), "mantissa_bits 53"),
    "weight": (_by_factors(_factors(weight=17)), "weight 17"),
    "nearly the weight for an exponent": (_by_scales(FROM_PREDECESSOR, _factors(weight=254)), "weight 254"),
    "an exponent taken off nothing": (_by_scales(NO_PREDICTOR, _factors(weight=255)), "weight 255"),
    "an exponent taken off a prediction": (_by_factors(_factors(weight=255)), "weight 255"),
    "scales of no sections": (_by_scales(NO_PREDICTOR, struct.pack("<3BHI", 7, 0, 0, 0, 0)), "n_sections 0"),
    "step_log2": (_by_factors(_factors(step_log2=9)), "step_log2 9"),
    "no section": (_by_factors(struct.pack("<3BHI", 7, 0, 0, 0, 0)), "n_sections 0"),
    "4097 sections": (
        _by_factors(struct.pack("<3BH", 7, 0, 0, 4097) + struct.pack("<3I", 1, 0, 0) * 4097 + bytes(4)),
        "n_sections 4097",
    ),
    "an empty section": (_by_factors(_factors(HandSection(0), ALL)), "a section is empty"),
    "more columns than elements": (
        _by_factors(_factors(HandSection(N_ELEMENTS, N_ELEMENTS + 1, 0, 0, (0,), (0,) * (N_ELEMENTS + 1)))),
        "more columns",
    ),
    "a first column beyond the columns": (
        _by_factors(_factors(HandSection(N_ELEMENTS, 4, 4, 0, (0,) * 11, (0,) * 4))),
        "first_column",
    ),
    "a first column of no columns": (_by_factors(_factors(HandSection(N_ELEMENTS, 0, 1))), "first_column"),
    "too few elements": (_by_factors(_factors(HandSection(N_ELEMENTS - 1))), "do not sum"),
    "too many elements": (_by_factors(_factors(ALL, HandSection(1))), "do not sum"),
    "a factor that is too large": (
        _by_factors(_factors(HandSection(1, 1, 0, 0, (1 << 15,), (0,)), HandSection(N_ELEMENTS - 1))),
        "a factor is out of range",
    ),
    "a factor that is too small": (
        _by_factors(_factors(HandSection(1, 1, 0, 0, (0,), (-(1 << 15) - 1,)), HandSection(N_ELEMENTS - 1))),
        "a factor is out of range",
    ),
    "factors that end early": (
        _by_factors(_factors(ALL)[:-7] + struct.pack("<IB", 1, 0)),
        "ends early|too many digits|needs",
    ),
    "a byte after the factors": (
        _by_factors(struct.pack("<3BH4I", 7, 0, 0, 1, N_ELEMENTS, 0, 0, 5) + bytes(5)),
        "follow the end",
    ),
    "a bit after the factors": (
        _by_factors(
            struct.pack("<3BH4I", 7, 0, 0, 1, 1, 1, 0, 7)  # base, order, factor, order, factor: 42 bits
            + bytes(4)
            + b"\x10"
            + b"\x02\x01"
        ),
        "follow the end",
    ),
}
_FEW_ELEMENTS = {"a bit after the factors": 1}


def _build(name: str) -> tuple[bytes, int]:
    """Return the group and the bytes that it should restore."""
    recipe = RULES[name][0]
    element_bytes = 8 if "53" in name else 2
    n_elements = _FEW_ELEMENTS.get(name, N_ELEMENTS)
    group = build_raw_group(recipe, np.zeros(n_elements, dtype=f"u{element_bytes}"))
    return group, n_elements * element_bytes


def test_the_recipes_are_sound_otherwise() -> None:
    for recipe in (
        PLAIN,
        _by_factors(_factors()),
        _by_factors(_factors(mantissa_bits=4)),
        _by_factors(_factors(mantissa_bits=14, step_log2=8)),
        _by_factors(_factors(HandSection(1, 1, 0, 0, (-(1 << 15),), ((1 << 15) - 1,)), HandSection(39))),
        _by_scales(FROM_FACTORS, _factors()),
        _by_scales(NO_PREDICTOR, _factors()),
        write_recipe(2, IDENTITY, low_contexts=write_low_contexts(2, [(1, 7), (0, 255)])),
        write_recipe(2, ROTATE, zero_bits=15),
    ):
        group = build_raw_group(recipe, np.zeros(N_ELEMENTS, dtype="u2"))
        restored = decode_block_group(group, 2 * N_ELEMENTS)
        out = bytearray(2 * N_ELEMENTS)
        _native.decode_blocks(group, None, None, out, n_threads=1)
        assert out == restored


@pytest.mark.parametrize("name", RULES)
def test_the_reference_names_the_rule(name: str) -> None:
    group, raw_bytes = _build(name)
    with pytest.raises(CorruptData, match=RULES[name][1]):
        decode_block_group(group, raw_bytes)


@pytest.mark.parametrize("name", RULES)
def test_the_native_core_refuses_it_with_any_inputs(name: str) -> None:
    group, raw_bytes = _build(name)
    for predecessor in (None, bytes(raw_bytes)):
        for companion in (None, bytes(N_ELEMENTS), bytes(2 * N_ELEMENTS)):
            with pytest.raises(_native.CorruptBlocks):
                _native.decode_blocks(group, predecessor, companion, bytearray(raw_bytes), n_threads=1)
