"""Block groups for the tests of the native core: recipes, elements worth trying, and encoding and decoding in one word.

The numbers here are those of docs/format.md, not imported from the code under test.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray

from weightzip.codec import _native

ELEMENT_BYTES = (1, 2, 4, 8)
IDENTITY, ROTATE, FLOAT_DIFFERENCE, INTEGER_DIFFERENCE = range(4)
FIRST_DIFFERENCE = FLOAT_DIFFERENCE
BLOCK_ELEMENTS = 65536

EVERY_KERNEL_SET = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            name not in _native.list_kernels(), reason=f"this processor cannot run the {name} kernels"
        ),
    )
    for name in ("scalar", "avx2", "avx512")
]

# Keys are the exponents of floats of these sizes.
_EXPONENT_SHIFT = {1: 3, 2: 7, 4: 23, 8: 52}


@dataclass(frozen=True)
class Job:
    """What encode_blocks is asked for, apart from the elements."""

    element_bytes: int
    transform: int
    max_contexts: int
    key_shift: int

    @property
    def needs_predecessor(self) -> bool:
        return self.transform >= FIRST_DIFFERENCE or self.max_contexts > 1

    @property
    def predictor(self) -> int:
        return int(self.transform >= FIRST_DIFFERENCE)

    @property
    def context_input(self) -> int:
        return int(self.max_contexts > 1)


def list_jobs() -> list[Job]:
    """List every element size and transform, with contexts and without."""
    return [
        Job(element_bytes, transform, max_contexts, _EXPONENT_SHIFT[element_bytes])
        for element_bytes in ELEMENT_BYTES
        for transform in range(4)
        for max_contexts in (1, 16)
    ]


def encode(
    job: Job, raw: bytes, predecessor: bytes | None, *, n_threads: int = 1, kernels: str = "auto"
) -> bytes:
    """Encode raw as the job says; the predecessor is left out where the job has no use for it."""
    return _native.encode_blocks(
        raw,
        predecessor if job.needs_predecessor else None,
        None,
        element_bytes=job.element_bytes,
        transform=job.transform,
        predictor=job.predictor,
        context_input=job.context_input,
        max_contexts=job.max_contexts,
        key_shift=job.key_shift,
        n_threads=n_threads,
        kernels=kernels,
    )


def decode(
    group: bytes, raw_bytes: int, predecessor: bytes | None, *, n_threads: int = 1, kernels: str = "auto"
) -> bytes:
    """Decode a group, with the predecessor if its recipe leans on one."""
    out = bytearray(raw_bytes)
    needed = predecessor if leans_on_predecessor(group) else None
    _native.decode_blocks(group, needed, None, out, n_threads=n_threads, kernels=kernels)
    return bytes(out)


def leans_on_predecessor(group: bytes) -> bool:
    """Tell from predictor and context_input whether a group without factors needs predecessor bytes."""
    return len(group) >= 6 and (group[4] == 1 or group[5] == 1)


def make_weights(n_elements: int, element_bytes: int, seed: int = 0) -> tuple[bytes, bytes]:
    """Return elements like those of a trained model, and an earlier state of the same elements."""
    rng = np.random.default_rng(seed)
    scale = 0.02 * np.exp2(rng.integers(-3, 4, n_elements))
    before = rng.standard_normal(n_elements) * scale
    after = before + rng.standard_normal(n_elements) * 1e-4
    return _to_floats(after, element_bytes), _to_floats(before, element_bytes)


def _to_floats(values: NDArray[np.float64], element_bytes: int) -> bytes:
    """Cut floats down to the element size: float64, float32, the top half of that (bf16), or its top byte."""
    if element_bytes == 8:
        return values.tobytes()
    single = values.astype(np.float32).view(np.uint8).reshape(-1, 4)
    return single[:, 4 - element_bytes :].tobytes()


# Bytes that end in every odd corner of every float format: infinities, NaN payloads, denormals, zeros of both signs.
_SPECIAL_BYTES = st.sampled_from([0x00, 0x01, 0x3F, 0x7F, 0x80, 0xBF, 0xC0, 0xF0, 0xF8, 0xFF])


@st.composite
def elements(draw: st.DrawFn, element_bytes: int, n_elements: int) -> bytes:
    """Draw the bytes of n_elements elements: random, skewed, constant, special floats, or weights."""
    kind = draw(st.sampled_from(["random", "skewed", "constant", "special", "weights"]))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n_bytes = n_elements * element_bytes
    if kind == "random":
        return rng.bytes(n_bytes)
    if kind == "skewed":
        spread = draw(st.integers(1, 64))
        return np.minimum(rng.geometric(1 / spread, n_bytes), 255).astype(np.uint8).tobytes()
    if kind == "constant":
        return draw(st.binary(min_size=element_bytes, max_size=element_bytes)) * n_elements
    if kind == "special":
        palette = draw(st.lists(_SPECIAL_BYTES, min_size=1, max_size=4))
        return rng.choice(np.array(palette, dtype=np.uint8), n_bytes).tobytes()
    return make_weights(n_elements, element_bytes, seed)[0]


@st.composite
def jobs_with_elements(draw: st.DrawFn, max_elements: int = 1000) -> tuple[Job, bytes, bytes]:
    """Draw a job, elements for it, and a predecessor: other elements, or the same with a few changed."""
    element_bytes = draw(st.sampled_from(ELEMENT_BYTES))
    job = Job(
        element_bytes,
        transform=draw(st.integers(0, 3)),
        max_contexts=draw(st.sampled_from([1, 2, 5, 16, 32])),
        key_shift=draw(st.integers(0, min(8 * element_bytes + 2, 63))),
    )
    n_elements = draw(st.integers(1, max_elements))
    raw = draw(elements(element_bytes, n_elements))
    if draw(st.booleans()):
        return job, raw, draw(elements(element_bytes, n_elements))
    predecessor = bytearray(raw)
    for place in draw(st.lists(st.integers(0, len(raw) - 1), max_size=20)):
        predecessor[place] ^= 0x55
    return job, raw, bytes(predecessor)
