"""Block groups of every recipe for the tests that hold the native core to the reference: what to encode, and how."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    list_needs,
)
from weightzip.codec import _native
from weightzip.codec.reference import decode_block_group
from weightzip.errors import CorruptData

ELEMENT_BYTES = (1, 2, 4, 8)
MANTISSA_BITS = {1: (1, 3, 6), 2: (4, 7, 10, 14), 4: (20, 23, 30), 8: (52,)}
"""Of every width: the least and the most that the format allows, and those of the usual floats between."""
EXPONENT_SHIFT = {1: 3, 2: 7, 4: 23, 8: 52}
USUAL_MANTISSA_BITS = EXPONENT_SHIFT


@dataclass(frozen=True)
class RecipeJob:
    """What encode_blocks is asked for, apart from the bytes. `n_columns` is that of the only section."""

    element_bytes: int
    transform: int
    predictor: int = NO_PREDICTOR
    context_input: int = NO_CONTEXT
    companion_bytes: int = 0
    mantissa_bits: int = 0
    n_columns: int = 0
    first_column: int = 0
    with_predecessor: bool = True
    max_low_contexts: int = 0

    @property
    def has_factors(self) -> bool:
        """Return whether factors are asked for."""
        return self.predictor == FROM_FACTORS or self.context_input == BY_SCALE

    @property
    def uses_predecessor(self) -> bool:
        """Return whether a predecessor is given to the encoder."""
        needed = self.predictor == FROM_PREDECESSOR or self.context_input == BY_PREDECESSOR
        return needed or (self.predictor == FROM_FACTORS and self.with_predecessor)


def list_recipe_jobs() -> list[RecipeJob]:
    """List a job for every width and each useful mix of transform, predictor and context input."""
    jobs = []
    for size in ELEMENT_BYTES:
        jobs += [RecipeJob(size, transform) for transform in (IDENTITY, ROTATE)]
        jobs += [RecipeJob(size, transform, context_input=BY_PREDECESSOR) for transform in (IDENTITY, ROTATE)]
        jobs += [RecipeJob(size, transform, max_low_contexts=8) for transform in (IDENTITY, ROTATE)]
        jobs += [RecipeJob(size, FLOAT_DIFFERENCE, FROM_PREDECESSOR, BY_PREDECESSOR, max_low_contexts=32)]
        usual = USUAL_MANTISSA_BITS[size]
        jobs += [
            RecipeJob(size, ROTATE, NO_PREDICTOR, BY_SCALE, 0, usual, n_columns) for n_columns in (0, 1, 17)
        ]
        jobs += [
            RecipeJob(size, ROTATE, context_input=BY_COMPANION, companion_bytes=other)
            for other in ELEMENT_BYTES
        ]
        for transform in (FLOAT_DIFFERENCE, INTEGER_DIFFERENCE):
            jobs += [
                RecipeJob(size, transform, FROM_PREDECESSOR),
                RecipeJob(size, transform, FROM_PREDECESSOR, BY_PREDECESSOR),
                RecipeJob(size, transform, FROM_PREDECESSOR, BY_COMPANION, 4),
                RecipeJob(size, transform, FROM_PREDECESSOR, BY_SCALE, 0, usual, 17, 5),
            ]
            jobs += _list_factor_jobs(size, transform)
    return jobs


def _list_factor_jobs(size: int, transform: int) -> list[RecipeJob]:
    usual = USUAL_MANTISSA_BITS[size]
    jobs = [
        RecipeJob(size, transform, FROM_FACTORS, context_input, companion_bytes, usual, 17, 5)
        for context_input, companion_bytes in (
            (NO_CONTEXT, 0),
            (BY_PREDECESSOR, 0),
            (BY_COMPANION, 2),
            (BY_SCALE, 0),
        )
    ]
    jobs += [
        RecipeJob(size, transform, FROM_FACTORS, BY_SCALE, 0, usual, n_columns, with_predecessor=False)
        for n_columns in (0, 1, 40)
    ]
    jobs += [
        RecipeJob(size, transform, FROM_FACTORS, mantissa_bits=mantissa_bits, n_columns=7)
        for mantissa_bits in MANTISSA_BITS[size]
    ]
    return jobs


def encode_job(
    job: RecipeJob,
    raw: bytes,
    predecessor: bytes,
    companion: bytes,
    *,
    n_threads: int = 1,
    kernels: str = "auto",
) -> bytes:
    """Encode raw as the job says, with those inputs that the job has."""
    n_elements = len(raw) // job.element_bytes
    n_columns = min(job.n_columns, n_elements)
    section = (n_elements, n_columns, min(job.first_column, max(n_columns - 1, 0)))
    return _native.encode_blocks(
        raw,
        predecessor if job.uses_predecessor else None,
        companion if job.context_input == BY_COMPANION else None,
        element_bytes=job.element_bytes,
        transform=job.transform,
        predictor=job.predictor,
        context_input=job.context_input,
        companion_bytes=job.companion_bytes,
        max_contexts=1 if job.context_input == NO_CONTEXT else 16,
        key_shift=EXPONENT_SHIFT[job.companion_bytes or job.element_bytes],
        mantissa_bits=job.mantissa_bits,
        sections=[section] if job.has_factors else [],
        max_low_contexts=job.max_low_contexts,
        n_threads=n_threads,
        kernels=kernels,
    )


def decode_native(
    group: bytes, raw_bytes: int, predecessor: bytes, companion: bytes, kernels: str = "auto"
) -> bytes | None:
    """Return what the native core restores with those inputs that the group needs; None if it refuses the group."""
    inputs = _pick_inputs(group, predecessor, companion)
    out = bytearray(raw_bytes)
    try:
        _native.decode_blocks(group, *inputs, out, n_threads=1, kernels=kernels)
    except _native.CorruptBlocks:
        return None
    return bytes(out)


def decode_reference(group: bytes, raw_bytes: int, predecessor: bytes, companion: bytes) -> bytes | None:
    """Return what the reference restores with those inputs that the group needs; None if it refuses the group."""
    needed, beside = _pick_inputs(group, predecessor, companion)
    try:
        return decode_block_group(group, raw_bytes, predecessor=needed, companion=beside)
    except CorruptData:
        return None


def _pick_inputs(group: bytes, predecessor: bytes, companion: bytes) -> tuple[bytes | None, bytes | None]:
    try:
        needs_predecessor, needs_companion = list_needs(group)
    except (IndexError, ValueError):  # too short to tell
        return None, None
    return predecessor if needs_predecessor else None, companion if needs_companion else None


# Bytes that end in every odd corner of every float format: zeros of both signs, denormals, infinities, NaN payloads.
_CORNER_BYTES = np.array([0x00, 0x01, 0x3F, 0x7F, 0x80, 0xBF, 0xC0, 0xF0, 0xF8, 0xFF], dtype=np.uint8)


def make_corners(n_elements: int, element_bytes: int, seed: int = 0) -> bytes:
    """Return elements of corner bytes alone."""
    return np.random.default_rng(seed).choice(_CORNER_BYTES, n_elements * element_bytes).tobytes()


def make_moments(n_elements: int, element_bytes: int, seed: int = 0) -> tuple[bytes, bytes]:
    """Return elements like an optimizer's second moments (signs, zeros and odd values strewn in), and an earlier state."""
    rng = np.random.default_rng(seed)
    rows = np.exp2(rng.standard_normal(n_elements // 17 + 2))[np.arange(5, 5 + n_elements) // 17]
    columns = np.exp2(rng.standard_normal(17))[np.arange(5, 5 + n_elements) % 17]
    old = 1e-3 * rows * columns * rng.chisquare(8, n_elements)
    new = old * np.exp(0.1 * rng.standard_normal(n_elements))
    new[rng.random(n_elements) < 0.05] *= -1
    new[rng.random(n_elements) < 0.02] = 0
    odd = rng.random(n_elements) < 0.02
    new[odd], old[odd] = np.inf, np.nan
    return _cut(new, element_bytes), _cut(old, element_bytes)


def make_layers(n_elements: int, element_bytes: int, seed: int = 0) -> bytes:
    """Return elements of which the top byte, one of eight, tells where the lower ones lie."""
    rng = np.random.default_rng(seed)
    top = rng.integers(0, 8, (n_elements, 1), dtype=np.uint8)
    layers: NDArray[np.uint8] = 16 * top + rng.geometric(0.3, (n_elements, element_bytes)).clip(0, 15).astype(
        "u1"
    )
    layers[:, -1:] = top
    return layers.tobytes()


def add_elements(elements: bytes, others: bytes, element_bytes: int) -> bytes:
    """Return the sums of elements as integers."""
    first, second = (np.frombuffer(data, f"<u{element_bytes}") for data in (elements, others))
    sums: NDArray[np.unsignedinteger] = first + second
    return sums.tobytes()


def _cut(values: NDArray[np.float64], element_bytes: int) -> bytes:
    if element_bytes == 8:
        return values.tobytes()
    with np.errstate(over="ignore"):
        single = values.astype(np.float32).view(np.uint8).reshape(-1, 4)
    return single[:, 4 - element_bytes :].tobytes()


def make_sections(n_elements: int, seed: int = 0) -> list[HandSection]:
    """Return sections of every shape that sum to n_elements (50 or more), with random factors."""
    rng = np.random.default_rng(seed)

    def section(n: int, n_columns: int, first_column: int = 0) -> HandSection:
        n_rows = -(-(first_column + n) // n_columns) if n_columns else 0
        base, *_ = rng.integers(-3000, 1 << 18, 1).tolist()
        rows, columns = (tuple(rng.integers(-999, 999, k).tolist()) for k in (n_rows, n_columns))
        return HandSection(n, n_columns, first_column, base, rows, columns)

    return [
        section(1, 0),
        section(1, 1),
        section(12, 12, 11),
        section(7, 5, 3),
        section(9, 0),
        section(n_elements - 30, 13, 12),
    ]
