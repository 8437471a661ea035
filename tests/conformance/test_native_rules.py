"""Groups that no encoder writes mean the same to both decoders: every prediction, context and derivation, and damage."""

import numpy as np
import pytest

from support.groups import EVERY_KERNEL_SET
from support.handmade_groups import (
    BY_COMPANION,
    BY_PREDECESSOR,
    BY_SCALE,
    FLOAT_DIFFERENCE,
    FROM_FACTORS,
    FROM_PREDECESSOR,
    IDENTITY,
    INTEGER_DIFFERENCE,
    MINUS_EXPONENT,
    NO_PREDICTOR,
    ROTATE,
    HandSection,
    build_context_group,
    build_low_context_group,
    build_raw_group,
    write_context_source,
    write_factors,
    write_low_contexts,
    write_recipe,
)
from support.recipe_jobs import (
    ELEMENT_BYTES,
    EXPONENT_SHIFT,
    MANTISSA_BITS,
    RecipeJob,
    decode_native,
    decode_reference,
    encode_job,
    make_corners,
    make_moments,
    make_sections,
)
from weightzip.codec import _native
from weightzip.codec.reference.derive import Derivation, derive_elements

N_ELEMENTS = 1100
WIDTHS = [(size, mantissa_bits) for size in ELEMENT_BYTES for mantissa_bits in MANTISSA_BITS[size]]


def _check(group: bytes, raw_bytes: int, predecessor: bytes, companion: bytes, kernels: str) -> bytes:
    """Return what both decoders restore from a sound group."""
    restored = decode_reference(group, raw_bytes, predecessor, companion)
    assert restored is not None
    assert decode_native(group, raw_bytes, predecessor, companion, kernels) == restored
    return restored


def _make_elements(size: int, seed: int) -> bytes:
    """Return elements of corner bytes and elements of any bytes."""
    n_corners = N_ELEMENTS // 2
    rest = np.random.default_rng(seed).bytes((N_ELEMENTS - n_corners) * size)
    return make_corners(n_corners, size, seed) + rest


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
@pytest.mark.parametrize(("size", "mantissa_bits"), WIDTHS)
@pytest.mark.parametrize("transform", [FLOAT_DIFFERENCE, INTEGER_DIFFERENCE])
def test_predictions(size: int, mantissa_bits: int, transform: int, kernels: str) -> None:
    for weight in range(17):
        factors = write_factors(mantissa_bits, weight, weight % 9, make_sections(N_ELEMENTS, weight))
        recipe = write_recipe(size, transform, predictor=FROM_FACTORS, factors=factors)
        coded = np.frombuffer(_make_elements(size, weight), f"<u{size}")
        group = build_raw_group(recipe, coded)
        _check(group, N_ELEMENTS * size, _make_elements(size, weight + 20), b"", kernels)


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
@pytest.mark.parametrize(("size", "mantissa_bits"), WIDTHS)
def test_every_level_of_a_prediction(size: int, mantissa_bits: int, kernels: str) -> None:
    top = 256 << (8 * size - 1 - mantissa_bits)
    bases = [-(1 << 31), -1, *range(0, top + 300, -(-top // 3000)), (1 << 31) - 1]
    sections = [HandSection(1, base=base) for base in bases]
    recipe = write_recipe(
        size,
        INTEGER_DIFFERENCE,
        predictor=FROM_FACTORS,
        factors=write_factors(mantissa_bits, 0, 0, sections),
    )
    group = build_raw_group(recipe, np.zeros(len(sections), dtype=f"u{size}"))
    predicted = np.frombuffer(_check(group, len(sections) * size, b"", b"", kernels), f"<u{size}")
    assert bool(np.all(predicted[1:] >= predicted[:-1]))  # never a sign, never all ones in the exponent
    assert int(predicted[-1]) >> mantissa_bits == (1 << (8 * size - 1 - mantissa_bits)) - 2


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
@pytest.mark.parametrize(("size", "mantissa_bits"), WIDTHS)
@pytest.mark.parametrize("factor", [-(1 << 15), (1 << 15) - 1])
def test_the_largest_factors(size: int, mantissa_bits: int, factor: int, kernels: str) -> None:
    for base in (-(1 << 31), 0, (1 << 31) - 1):
        sections = [HandSection(35, 7, 0, base, (factor,) * 5, (factor,) * 7)]
        for order in (0, 15):
            factors = write_factors(mantissa_bits, 16, 8, sections, order=order)
            recipe = write_recipe(size, INTEGER_DIFFERENCE, predictor=FROM_FACTORS, factors=factors)
            group = build_raw_group(recipe, np.zeros(35, dtype=f"u{size}"))
            _check(group, 35 * size, make_corners(35, size), b"", kernels)


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
@pytest.mark.parametrize("size", ELEMENT_BYTES)
@pytest.mark.parametrize("other_size", ELEMENT_BYTES)
def test_contexts_of_inputs(size: int, other_size: int, kernels: str) -> None:
    for context_input, input_size in ((BY_PREDECESSOR, size), (BY_COMPANION, other_size)):
        for key_shift in (0, 8 * input_size - 8, 8 * input_size - 1, 63):
            for key_base in (0, 100, (1 << 32) - 1):
                recipe = write_recipe(
                    size,
                    IDENTITY if key_base else ROTATE,
                    n_contexts=4,
                    context_input=context_input,
                    companion_bytes=other_size if context_input == BY_COMPANION else 1,
                    source=write_context_source(key_shift, key_base, [(3, 0), (0, 9), (1, 254), (2, 255)]),
                )
                group = build_context_group(recipe, size, 4, N_ELEMENTS)
                inputs = (_make_elements(size, 1), _make_elements(other_size, 2))
                _check(group, N_ELEMENTS * size, *inputs, kernels)


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
@pytest.mark.parametrize(("size", "mantissa_bits"), WIDTHS)
@pytest.mark.parametrize("context_input", [BY_PREDECESSOR, BY_COMPANION, BY_SCALE])
def test_contexts_beside_factors(size: int, mantissa_bits: int, context_input: int, kernels: str) -> None:
    for weight in (0, 7):
        recipe = write_recipe(
            size,
            FLOAT_DIFFERENCE,
            n_contexts=4,
            predictor=FROM_FACTORS,
            context_input=context_input,
            source=write_context_source(max(mantissa_bits - 1, 0), 1, [(3, 0), (0, 9), (1, 254), (2, 255)]),
            factors=write_factors(mantissa_bits, weight, 2, make_sections(N_ELEMENTS)),
        )
        group = build_context_group(recipe, size, 4, N_ELEMENTS)
        _check(group, N_ELEMENTS * size, _make_elements(size, 1), _make_elements(1, 2), kernels)


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
@pytest.mark.parametrize(("size", "mantissa_bits"), WIDTHS)
@pytest.mark.parametrize("predictor", [NO_PREDICTOR, FROM_PREDECESSOR])
def test_contexts_of_scales(size: int, mantissa_bits: int, predictor: int, kernels: str) -> None:
    for weight in (0, 7, MINUS_EXPONENT) if predictor else (0, 7):
        recipe = write_recipe(
            size,
            FLOAT_DIFFERENCE if predictor else ROTATE,
            n_contexts=4,
            predictor=predictor,
            context_input=BY_SCALE,
            source=write_context_source(mantissa_bits - 1, 1, [(3, 0), (0, 9), (1, 254), (2, 255)]),
            factors=write_factors(mantissa_bits, weight, 2, make_sections(N_ELEMENTS)),
        )
        group = build_context_group(recipe, size, 4, N_ELEMENTS)
        _check(group, N_ELEMENTS * size, _make_elements(size, weight), b"", kernels)


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
@pytest.mark.parametrize("size", ELEMENT_BYTES)
@pytest.mark.parametrize("n_contexts", [2, 4, 32])
def test_low_contexts(size: int, n_contexts: int, kernels: str) -> None:
    runs = [(n_contexts - 1, 0), (0, 9), (1, 200), (n_contexts // 2, 254), (1, 255)]
    low_contexts = write_low_contexts(n_contexts, runs)
    top = np.frombuffer(_make_elements(1, n_contexts), np.uint8)
    group = build_low_context_group(
        write_recipe(size, IDENTITY, low_contexts=low_contexts), top, size, n_contexts
    )
    raw = np.frombuffer(_check(group, N_ELEMENTS * size, b"", b"", kernels), np.uint8).reshape(-1, size)
    expected = np.array([next(context for context, last in runs if byte <= last) for byte in top.tolist()])
    assert np.array_equal(raw[:, -1], top)
    assert bool(np.all(raw[:, :-1] == expected[:, None]))


@pytest.mark.parametrize("kernels", EVERY_KERNEL_SET)
@pytest.mark.parametrize("size", ELEMENT_BYTES)
@pytest.mark.parametrize("transform", [ROTATE, FLOAT_DIFFERENCE, INTEGER_DIFFERENCE])
def test_zero_bits(size: int, transform: int, kernels: str) -> None:
    predictor = NO_PREDICTOR if transform == ROTATE else FROM_PREDECESSOR
    for zero_bits in range(8 * size):
        recipe = write_recipe(size, transform, predictor=predictor, zero_bits=zero_bits)
        # Also what no element gives: the reader does not look at the bits that should be 0.
        group = build_raw_group(recipe, np.frombuffer(_make_elements(size, zero_bits), f"<u{size}"))
        restored = _check(group, N_ELEMENTS * size, _make_elements(size, zero_bits + 70), b"", kernels)
        assert not bool(np.any(np.frombuffer(restored, f"<u{size}") & ((1 << zero_bits) - 1)))


@pytest.mark.parametrize("derivation", Derivation)
def test_derivations(derivation: Derivation) -> None:
    upper = np.arange(1 << 16, dtype="<u4") << np.uint32(16)
    lower = np.array([0, 1, 0xFFF, 0x1000, 0x1001, 0x3000, 0x7FFF, 0x8000, 0x8001, 0xFFFF], dtype="<u4")
    patterns = (upper | lower[:, None]).reshape(-1)
    for begin, n_elements in [(0, len(patterns)), *((n * 613, n) for n in range(100))]:
        part = patterns[begin : begin + n_elements]
        out = bytearray(2 * n_elements)
        _native.derive(part.tobytes(), out, derivation=derivation)
        assert out == derive_elements(derivation, part).tobytes()


DAMAGED_JOBS = [
    RecipeJob(2, FLOAT_DIFFERENCE, FROM_PREDECESSOR, BY_PREDECESSOR),
    RecipeJob(2, ROTATE, context_input=BY_COMPANION, companion_bytes=4),
    RecipeJob(4, FLOAT_DIFFERENCE, FROM_FACTORS, BY_SCALE, 0, EXPONENT_SHIFT[4], 17, 5),
    RecipeJob(1, INTEGER_DIFFERENCE, FROM_FACTORS, BY_COMPANION, 2, 3, 7),
    RecipeJob(2, ROTATE, max_low_contexts=8),
    RecipeJob(4, FLOAT_DIFFERENCE, FROM_PREDECESSOR, BY_SCALE, 0, EXPONENT_SHIFT[4], 17, 5),
    RecipeJob(2, ROTATE, context_input=BY_SCALE, mantissa_bits=EXPONENT_SHIFT[2], n_columns=17),
]


@pytest.mark.parametrize("job", DAMAGED_JOBS, ids=str)
def test_both_refuse_and_accept_the_same_damage(job: RecipeJob) -> None:
    raw, predecessor = make_moments(300, job.element_bytes)
    companion = make_corners(300, job.companion_bytes or 1)
    group = encode_job(job, raw, predecessor, companion)
    n_refused = 0
    for position in range(len(group)):
        damaged = bytearray(group)
        damaged[position] ^= 1 << position % 8
        restored = decode_native(bytes(damaged), len(raw), predecessor, companion)
        assert restored == decode_reference(bytes(damaged), len(raw), predecessor, companion), position
        n_refused += restored is None
    assert n_refused > 50  # most of what is left are values, which nothing here can know
    for n_bytes in range(len(group)):
        assert decode_native(group[:n_bytes], len(raw), predecessor, companion) is None
        assert decode_reference(group[:n_bytes], len(raw), predecessor, companion) is None
