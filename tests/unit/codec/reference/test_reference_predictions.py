"""Predictions and contexts of the reference, beside the rules worked out one element at a time."""

import numpy as np
import pytest

from support.handmade_groups import (
    BY_COMPANION,
    BY_PREDECESSOR,
    BY_SCALE,
    FROM_FACTORS,
    FROM_PREDECESSOR,
    IDENTITY,
    INTEGER_DIFFERENCE,
    MINUS_EXPONENT,
    NO_PREDICTOR,
    HandSection,
    build_context_group,
    build_raw_group,
    write_context_source,
    write_factors,
    write_recipe,
)
from support.recipe_jobs import ELEMENT_BYTES, MANTISSA_BITS, make_corners, make_sections
from support.scalar_model import find_context, find_scales
from weightzip.codec.reference import decode_block_group
from weightzip.codec.reference.factors import EXP, LOG
from weightzip.errors import CorruptData

N_ELEMENTS = 1100
RUNS = ((3, 0), (0, 9), (1, 10), (2, 254), (0, 255))
WIDTHS = [(size, mantissa_bits) for size in ELEMENT_BYTES for mantissa_bits in MANTISSA_BITS[size]]


def test_the_tables_are_the_rounded_formulas_and_no_entry_is_near_a_tie() -> None:
    places = (np.arange(256) + 0.5) / 256
    for table, exact in ((LOG, 256 * np.log2(1 + places)), (EXP, 65536 * (np.exp2(places) - 1))):
        assert np.array_equal(table, np.round(exact))
        assert np.abs(exact % 1 - 0.5).min() > 1e-3
    assert EXP.max() <= 65535


@pytest.mark.parametrize(("size", "mantissa_bits"), WIDTHS)
@pytest.mark.parametrize("weight", [0, 1, 9, 16])
def test_predictions(size: int, mantissa_bits: int, weight: int) -> None:
    predecessor = make_corners(N_ELEMENTS, size, seed=weight)
    sections = make_sections(N_ELEMENTS, seed=weight)
    factors = write_factors(mantissa_bits, weight, weight % 9, sections)
    recipe = write_recipe(size, INTEGER_DIFFERENCE, predictor=FROM_FACTORS, factors=factors)
    group = build_raw_group(recipe, np.zeros(N_ELEMENTS, dtype=f"u{size}"))
    raw = decode_block_group(
        group, N_ELEMENTS * size, predecessor=predecessor if weight else None
    )  # a difference of 0: the prediction itself
    expected = find_scales(
        sections,
        np.frombuffer(predecessor, f"<u{size}").tolist(),
        n_bits=8 * size,
        mantissa_bits=mantissa_bits,
        weight=weight,
        step_log2=weight % 9,
    )
    assert np.frombuffer(raw, f"<u{size}").tolist() == expected


@pytest.mark.parametrize("context_input", [BY_PREDECESSOR, BY_COMPANION, BY_SCALE])
@pytest.mark.parametrize("size", ELEMENT_BYTES)
@pytest.mark.parametrize("other_size", ELEMENT_BYTES)
def test_contexts(context_input: int, size: int, other_size: int) -> None:
    input_size = other_size if context_input == BY_COMPANION else size
    key_shift, key_base = 8 * input_size - 7, 3
    leaned_on = make_corners(N_ELEMENTS, input_size)
    elements = np.frombuffer(leaned_on, f"<u{input_size}").tolist()
    factors, transform, predictor = b"", IDENTITY, 0
    if context_input == BY_SCALE:
        sections = [HandSection(1, base=300 * place) for place in range(N_ELEMENTS)]
        mantissa_bits = MANTISSA_BITS[size][0]
        factors = write_factors(mantissa_bits, 0, 0, sections)
        transform, predictor = INTEGER_DIFFERENCE, FROM_FACTORS
        elements = find_scales(
            sections, (), n_bits=8 * size, mantissa_bits=mantissa_bits, weight=0, step_log2=0
        )
    recipe = write_recipe(
        size,
        transform,
        n_contexts=4,
        predictor=predictor,
        context_input=context_input,
        companion_bytes=other_size if context_input == BY_COMPANION else 1,
        source=write_context_source(key_shift, key_base, RUNS),
        factors=factors,
    )
    raw = decode_block_group(
        build_context_group(recipe, size, 4, N_ELEMENTS),
        N_ELEMENTS * size,
        predecessor=leaned_on if context_input == BY_PREDECESSOR else None,
        companion=leaned_on if context_input == BY_COMPANION else None,
    )
    contexts = [find_context(e, 8 * input_size, key_shift, key_base, RUNS) for e in elements]
    assert len(set(contexts)) > 1
    restored = np.frombuffer(raw, f"<u{size}").astype(np.uint64)
    if context_input == BY_SCALE:
        moved = [(context >> 1) ^ -(context & 1) for context in contexts]
        expected = [(e + m) % (1 << 8 * size) for e, m in zip(elements, moved, strict=True)]
    else:
        expected = contexts
    assert restored.tolist() == expected


@pytest.mark.parametrize(("size", "mantissa_bits"), WIDTHS)
@pytest.mark.parametrize("predictor", [NO_PREDICTOR, FROM_PREDECESSOR])
def test_contexts_of_scales_that_predict_nothing(size: int, mantissa_bits: int, predictor: int) -> None:
    weight = MINUS_EXPONENT if predictor == FROM_PREDECESSOR else 0
    key_shift = max(mantissa_bits - 4, 0)
    predecessor = make_corners(N_ELEMENTS, size, seed=weight)
    before = np.frombuffer(predecessor, f"<u{size}")
    sections = [HandSection(1, base=300 * place) for place in range(N_ELEMENTS)]
    recipe = write_recipe(
        size,
        INTEGER_DIFFERENCE if predictor else IDENTITY,
        n_contexts=4,
        predictor=predictor,
        context_input=BY_SCALE,
        source=write_context_source(key_shift, 3, RUNS),
        factors=write_factors(mantissa_bits, weight, 1, sections),
    )
    raw = decode_block_group(
        build_context_group(recipe, size, 4, N_ELEMENTS),
        N_ELEMENTS * size,
        predecessor=predecessor if predictor else None,
    )
    scales = find_scales(
        sections, before.tolist(), n_bits=8 * size, mantissa_bits=mantissa_bits, weight=weight, step_log2=1
    )
    contexts = [find_context(scale, 8 * size, key_shift, 3, RUNS) for scale in scales]
    assert len(set(contexts)) > 1
    if predictor:
        moved = [(context >> 1) ^ -(context & 1) for context in contexts]
        contexts = [(p + m) % (1 << 8 * size) for p, m in zip(before.tolist(), moved, strict=True)]
    assert np.frombuffer(raw, f"<u{size}").tolist() == contexts


@pytest.mark.parametrize("given", [(None, None), (bytes(8), bytes(8)), (None, bytes(8)), (bytes(16), None)])
def test_the_inputs_must_be_those_of_the_recipe(given: tuple[bytes | None, bytes | None]) -> None:
    recipe = write_recipe(4, INTEGER_DIFFERENCE, predictor=1)
    group = build_raw_group(recipe, np.zeros(2, dtype="u4"))
    assert decode_block_group(group, 8, predecessor=bytes(range(8))) == bytes(range(8))
    with pytest.raises(CorruptData, match="its recipe asks for"):
        decode_block_group(group, 8, predecessor=given[0], companion=given[1])
