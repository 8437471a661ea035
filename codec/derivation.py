"""Elements of 2 bytes that follow from fp32 elements alone: copies in a narrower type, halves (method `derived`)."""

from enum import IntEnum

from weightzip.codec import _native
from weightzip.codec.compare import are_equal
from weightzip.codec.source import BytesLike, allocate

_FP32_BYTES = 4
DERIVED_BYTES = 2
PROBE_ELEMENTS = 4096


class Derivation(IntEnum):
    """What a 2-byte element is of an fp32; the value is its code in the frame."""

    BF16_NEAREST_EVEN = 0
    BF16_TRUNCATED = 1
    FP16_NEAREST_EVEN = 2
    LOWER_HALF = 3


def derive(companion: BytesLike, derivation: Derivation) -> memoryview:
    """Return the elements that follow from the fp32 elements in companion."""
    out = allocate(len(companion) // _FP32_BYTES * DERIVED_BYTES)
    _native.derive(companion, out, derivation=derivation)
    return out


def find_derivation(raw: BytesLike, companion: BytesLike) -> Derivation | None:
    """Return how raw follows from companion, which may be of any size; None if it does not.

    What does not is nearly always told by the first elements.
    """
    if (
        len(raw) == 0
        or len(raw) % DERIVED_BYTES != 0
        or len(companion) * DERIVED_BYTES != len(raw) * _FP32_BYTES
    ):
        return None
    probe, source = raw[: PROBE_ELEMENTS * DERIVED_BYTES], companion[: PROBE_ELEMENTS * _FP32_BYTES]
    for derivation in Derivation:
        if are_equal(derive(source, derivation), probe) and are_equal(derive(companion, derivation), raw):
            return derivation
    return None
