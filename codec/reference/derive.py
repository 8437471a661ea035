"""Elements that follow from fp32 alone (docs/format.md, "Data frame body", method derived), by whole-number rules."""

from enum import IntEnum

import numpy as np

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.reference.elements import Elements, Numbers, view_elements
from weightzip.codec.source import BytesLike

_INFINITY = 0x7F800000
_SMALLEST_NORMAL_FP16 = 0x38800000  # 2^-14
_BIAS_CHANGE = (127 - 15) << 23


class Derivation(IntEnum):
    """What a 2-byte element is of an fp32."""

    BF16_NEAREST_EVEN = 0
    BF16_TRUNCATED = 1
    FP16_NEAREST_EVEN = 2
    LOWER_HALF = 3


def derive(rest: BytesLike, companion: BytesLike, raw_bytes: int, place: str) -> bytes:
    """Return the raw_bytes that follow from the fp32 elements in companion."""
    cursor = Cursor(rest, place)
    derivation = cursor.u8("derivation")
    cursor.finish("the frame")
    cursor.expect(derivation <= max(Derivation), f"derivation {derivation} is reserved")
    cursor.expect(len(companion) == 2 * raw_bytes, "the companion is not twice as long as what it gives")
    cursor.expect(raw_bytes % 2 == 0, "raw_bytes is odd")
    return derive_elements(Derivation(derivation), view_elements(companion, 4)).tobytes()


def derive_elements(derivation: Derivation, fp32: Elements) -> Elements:
    """Return the 2-byte elements for fp32 elements given by their bits."""
    x = fp32.astype(np.int64)
    if derivation == Derivation.BF16_NEAREST_EVEN:
        x = _round_to_bf16(x)
    elif derivation == Derivation.BF16_TRUNCATED:
        x = x >> 16
    elif derivation == Derivation.FP16_NEAREST_EVEN:
        x = _round_to_fp16(x)
    return (x & 0xFFFF).astype("<u2")


def _round_to_bf16(x: Numbers) -> Numbers:
    is_nan = (x & 0x7FFFFFFF) > _INFINITY
    return np.where(is_nan, x >> 16 | 0x40, _round_off(x, 16))


def _round_to_fp16(x: Numbers) -> Numbers:
    sign, magnitude = x >> 16 & 0x8000, x & 0x7FFFFFFF
    exponent, mantissa = magnitude >> 23, magnitude & 0x7FFFFF
    # A denormal counts units of 2^-24; the element is its 24 digits times 2^(exponent - 150). 26 places leave nothing.
    denormal = _round_off(mantissa | 0x800000, np.clip(126 - exponent, 1, 26))
    normal = np.minimum(_round_off(magnitude - _BIAS_CHANGE, 13), 0x7C00)
    rounded = np.where(magnitude < _SMALLEST_NORMAL_FP16, denormal, normal)
    return sign | np.where(magnitude > _INFINITY, 0x7E00 | mantissa >> 13, rounded)


def _round_off(x: Numbers, n_bits: int | Numbers) -> Numbers:
    """Return x without its lowest n_bits, rounded to the nearest, ties to even."""
    half = np.left_shift(1, np.asarray(n_bits) - 1)
    rounded: Numbers = (x + half - 1 + (x >> n_bits & 1)) >> n_bits
    return rounded
