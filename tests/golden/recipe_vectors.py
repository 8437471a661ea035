"""Golden vectors of single recipes: what the native core codes, in archives written field by field.

An encoder that chooses recipes by itself may choose others one day; these vectors hold the recipes that they name.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from support.handmade_archives import (
    BLOCKS,
    DERIVED,
    IDENTICAL,
    LEANS_ON_ITSELF,
    OWN,
    STORED,
    HandFrame,
    HandInput,
    build_handmade_archive,
    whole,
)
from support.handmade_groups import (
    BY_COMPANION,
    BY_PREDECESSOR,
    BY_SCALE,
    FLOAT_DIFFERENCE,
    FROM_FACTORS,
    FROM_PREDECESSOR,
    INTEGER_DIFFERENCE,
    NO_CONTEXT,
    NO_PREDICTOR,
    ROTATE,
    list_needs,
)
from support.recipe_jobs import EXPONENT_SHIFT
from weightzip.codec import _native

N_ROWS, N_COLUMNS = 60, 50
N_ELEMENTS = N_ROWS * N_COLUMNS


@dataclass(frozen=True)
class Vector:
    """A shard, its archive, and the files that the archive leans on, in the order of its header."""

    shard: bytes
    archive: bytes
    bases: tuple[bytes, ...] = ()


def _pack(frames: list[HandFrame], bases: tuple[bytes, ...] = (), flags: int = 0) -> Vector:
    shard = b"".join(frame.raw for frame in frames)
    return Vector(shard, build_handmade_archive(frames, bases, flags=flags), bases)


def _stored(data: bytes) -> HandFrame:
    return HandFrame(STORED, data, data)


def _code(
    raw: bytes,
    element_bytes: int,
    transform: int,
    *,
    predecessor: HandInput | None = None,
    companion: HandInput | None = None,
    predictor: int = FROM_FACTORS,
    context_input: int = BY_SCALE,
    companion_bytes: int = 0,
    max_low_contexts: int = 0,
    sections: tuple[tuple[int, int, int], ...] = ((N_ELEMENTS, N_COLUMNS, 0),),
) -> HandFrame:
    """Return a frame of this recipe, and refuse if the encoder found a smaller one."""
    has_factors = predictor == FROM_FACTORS or context_input == BY_SCALE
    group = _native.encode_blocks(
        raw,
        None if predecessor is None else predecessor.data,
        None if companion is None else companion.data,
        element_bytes=element_bytes,
        transform=transform,
        predictor=predictor,
        context_input=context_input,
        companion_bytes=companion_bytes,
        max_contexts=1 if context_input == NO_CONTEXT else 8,
        key_shift=EXPONENT_SHIFT[companion_bytes or element_bytes],
        mantissa_bits=EXPONENT_SHIFT[element_bytes] if has_factors else 0,
        sections=sections if has_factors else (),
        max_low_contexts=max_low_contexts,
        n_threads=1,
    )
    assert max_low_contexts == 0 or group[7] > 0, group[7]
    assert tuple(group[4:6]) == (predictor, context_input), tuple(group[4:6])
    assert list_needs(group) == (predecessor is not None, companion is not None), list_needs(group)
    return HandFrame(BLOCKS, raw, group, predecessor, companion)


def _code_given(raw: bytes, companion: HandInput, companion_bytes: int) -> HandFrame:
    """Return a frame of bf16 elements whose contexts come from the companion alone."""
    return _code(
        raw,
        2,
        ROTATE,
        predictor=NO_PREDICTOR,
        context_input=BY_COMPANION,
        companion=companion,
        companion_bytes=companion_bytes,
    )


def _make_moments(step: int) -> NDArray[np.float64]:
    """Return second moments: a factor for each row and column, and some freedom of each element, which moves slowly.

    The larger they are, the freer: their size tells how much to expect of a difference.
    """
    rng = np.random.default_rng(21)
    octaves = (2 * rng.standard_normal((N_ROWS, 1)) + 2 * rng.standard_normal(N_COLUMNS)).reshape(-1)
    freedom = np.where(octaves > 0, 0.5, 2.0**-9)
    still = rng.standard_normal(N_ELEMENTS)
    moved = np.random.default_rng(step).standard_normal(N_ELEMENTS)
    return np.exp2(octaves - 20 + freedom * (0.5 * still + 0.2 * moved))


def _cut(values: NDArray[np.float64], element_bytes: int) -> bytes:
    """Return values as fp64, fp32, or the upper bytes of fp16 (fp8) and fp32 (bf16)."""
    if element_bytes == 1:
        return (values * 2.0**20).astype("<f2").view("u1")[1::2].tobytes()
    if element_bytes == 2:
        return values.astype("<f4").view("<u2")[1::2].tobytes()
    return values.astype(f"<f{element_bytes}").tobytes()


def _make_rows_by_columns() -> Vector:
    return _pack([_code(_cut(_make_moments(1), 2), 2, FLOAT_DIFFERENCE)])


def _make_blend(element_bytes: int) -> Vector:
    base = _cut(_make_moments(1), element_bytes)
    frame = _code(
        _cut(_make_moments(2), element_bytes),
        element_bytes,
        FLOAT_DIFFERENCE,
        predecessor=whole(base),
        context_input=BY_PREDECESSOR if element_bytes <= 2 else NO_CONTEXT,
    )
    return _pack([frame], (base,))


def _make_sections() -> Vector:
    """A frame that begins and ends within rows, and holds a vector between two matrices."""
    raw = _cut(_make_moments(1), 4)
    sections = ((1010, N_COLUMNS, 20), (90, 0, 0), (N_ELEMENTS - 1100, 70, 69))
    return _pack([_code(raw, 4, INTEGER_DIFFERENCE, sections=sections, context_input=NO_CONTEXT)])


def _make_scales(element_bytes: int) -> Vector:
    """Weights whose rows and columns have a size each, alone, and moved by as much as row and column tell."""
    rng = np.random.default_rng(22)
    octaves = (2 * rng.standard_normal((N_ROWS, 1)) + 2 * rng.standard_normal(N_COLUMNS)).reshape(-1)
    start = np.exp2(octaves - 8) * rng.standard_normal(N_ELEMENTS)
    moved = start + np.exp2(-octaves - 20) * rng.standard_normal(N_ELEMENTS)
    base = _cut(start, element_bytes)
    frames = [
        _code(base, element_bytes, ROTATE, predictor=NO_PREDICTOR),
        _code(
            _cut(moved, element_bytes),
            element_bytes,
            FLOAT_DIFFERENCE,
            predictor=FROM_PREDECESSOR,
            predecessor=whole(base),
        ),
    ]
    return _pack(frames, (base,))


def _make_low_contexts() -> Vector:
    """The larger the exponent, the fewer bits of the mantissa are in use."""
    rng = np.random.default_rng(23)
    places = rng.integers(0, 8, 8 * N_ELEMENTS)
    values = np.exp2(-places) * (1 + (rng.integers(0, 128, 8 * N_ELEMENTS) >> places << places) / 128)
    raw = _cut(values, 2)
    return _pack(
        [_code(raw, 2, ROTATE, predictor=NO_PREDICTOR, context_input=NO_CONTEXT, max_low_contexts=8)]
    )


def _clear(elements: bytes, element_bytes: int, zero_bits: int) -> bytes:
    """Return the elements with so many low bits set to 0."""
    shift = np.dtype(f"u{element_bytes}").type(zero_bits)
    cleared: NDArray[np.unsignedinteger] = np.frombuffer(elements, f"<u{element_bytes}") >> shift << shift
    return cleared.tobytes()


def _make_narrow() -> Vector:
    """Values of bf16 and of fp16 in fp32, of fp32 in fp64, and of few digits in fp64: alone, and moved."""
    rng = np.random.default_rng(24)
    start = np.exp2(2 * rng.standard_normal(N_ELEMENTS) - 6)
    moved = start + 1e-3 * rng.standard_normal(N_ELEMENTS)
    frames: list[HandFrame] = []
    bases: tuple[bytes, ...] = ()
    for element_bytes, transform, zero_bits, context_input in (
        (4, FLOAT_DIFFERENCE, 16, BY_PREDECESSOR),
        (4, FLOAT_DIFFERENCE, 13, BY_PREDECESSOR),
        (8, FLOAT_DIFFERENCE, 29, NO_CONTEXT),
        (8, INTEGER_DIFFERENCE, 45, NO_CONTEXT),
    ):
        base, raw = (
            _clear(_cut(values, element_bytes), element_bytes, zero_bits) for values in (start, moved)
        )
        frames += [
            _code(base, element_bytes, ROTATE, predictor=NO_PREDICTOR, context_input=NO_CONTEXT),
            _code(
                raw,
                element_bytes,
                transform,
                predictor=FROM_PREDECESSOR,
                context_input=context_input,
                predecessor=HandInput(base, ((0, len(base), len(bases)),)),
            ),
        ]
        bases += (base,)
    return _pack(frames, bases)


def _make_first_moment() -> Vector:
    """exp_avg given exp_avg_sq of the same step, in the file itself, and in another file as bf16."""
    squares = np.exp2(8 * np.random.default_rng(3).standard_normal(N_ELEMENTS) - 40)
    values = np.sqrt(squares) * np.random.default_rng(4).standard_normal(N_ELEMENTS)
    own, base = _cut(squares, 4), _cut(squares, 2)
    frames = [
        _code_given(_cut(values, 2), whole(own, OWN, 4 * N_ELEMENTS), companion_bytes=4),
        _code_given(_cut(-values, 2), whole(base), companion_bytes=2),
        _stored(own),
    ]
    return _pack(frames, (base,), LEANS_ON_ITSELF)


def _list_fp32_patterns() -> bytes:
    """List patterns that rounding treats differently: zeros, denormals, ties, overflow, infinities, NaN payloads."""
    upper = np.concatenate(
        [np.arange(0, 1 << 16, 97), [0, 0x7F7F, 0x7F80, 0x7F81, 0x7FC0, 0x8000, 0xFF80, 0xFFFF]]
    )
    lower = np.array([0, 1, 0x1000, 0x3000, 0x7FFF, 0x8000, 0x8001, 0xFFFF])
    patterns: NDArray[np.uint32] = (upper[:, None] << 16 | lower).astype("<u4")
    return patterns.tobytes()


def _derive(derivation: int, companion: HandInput) -> HandFrame:
    out = bytearray(len(companion.data) // 2)
    _native.derive(companion.data, out, derivation=derivation)
    return HandFrame(DERIVED, bytes(out), bytes([derivation]), companion=companion)


def _make_derived() -> Vector:
    master = _list_fp32_patterns()
    return _pack([_derive(derivation, whole(master)) for derivation in range(4)], (master,))


def _make_own() -> Vector:
    """A copy in bf16, a tied tensor, and one put together from the file itself and two others."""
    master = np.random.default_rng(6).standard_normal(500).astype("<f4").tobytes()
    bases = (b"first base " * 9, b"second base " * 9)
    pieces = ((10, 50, 0), (1000, 30, OWN), (3, 7, 1))
    mixed = bases[0][10:60] + master[0:30] + bases[1][3:10]
    frames = [
        _derive(0, whole(master, OWN, 1000)),
        _stored(master),
        HandFrame(IDENTICAL, master, b"", whole(master, OWN, 1000)),
        HandFrame(IDENTICAL, mixed, b"", HandInput(mixed, pieces)),
    ]
    return _pack(frames, bases, LEANS_ON_ITSELF)


RECIPE_MAKERS: dict[str, Callable[[], Vector]] = {
    "factors": _make_rows_by_columns,
    "factors-blend-fp8": lambda: _make_blend(1),
    "factors-blend-bf16": lambda: _make_blend(2),
    "factors-blend-fp32": lambda: _make_blend(4),
    "factors-blend-fp64": lambda: _make_blend(8),
    "factors-sections": _make_sections,
    "scales-bf16": lambda: _make_scales(2),
    "scales-fp32": lambda: _make_scales(4),
    "low-contexts": _make_low_contexts,
    "narrow": _make_narrow,
    "companion": _make_first_moment,
    "derived": _make_derived,
    "own-bytes": _make_own,
}
