"""What docs/format.md says of scales and contexts, once more: one element at a time, in Python's whole numbers."""

from collections.abc import Sequence
from math import log2

from support.handmade_groups import MINUS_EXPONENT, HandSection


def compute_log(element: int, n_bits: int, mantissa_bits: int) -> int:
    """Return log(p) of an element of n_bits."""
    exponent, mantissa = divmod(element & ((1 << (n_bits - 1)) - 1), 1 << mantissa_bits)
    f = mantissa * 256 // (1 << mantissa_bits)
    return 256 * exponent + round(256 * log2(1 + (f + 0.5) / 256))


def compute_power(level: int, n_bits: int, mantissa_bits: int) -> int:
    """Return exp(L) as an element of n_bits."""
    end = 256 * ((1 << (n_bits - 1 - mantissa_bits)) - 1)
    exponent, f = divmod(min(max(level, 0), end - 1), 256)
    mantissa = round(65536 * (2 ** ((f + 0.5) / 256) - 1)) * (1 << mantissa_bits) // 65536
    return int(exponent * (1 << mantissa_bits) + mantissa)


def find_scales(
    sections: Sequence[HandSection],
    predecessor: Sequence[int],
    *,
    n_bits: int,
    mantissa_bits: int,
    weight: int,
    step_log2: int,
) -> list[int]:
    """Return the scale of every element; the predecessor is not looked at if the weight is 0."""
    scales: list[int] = []
    for section in sections:
        for t in range(section.n_elements):
            level = section.base
            if weight == MINUS_EXPONENT:
                level -= 256 * (predecessor[len(scales)] % (1 << (n_bits - 1)) >> mantissa_bits)
            elif weight:
                level += weight * compute_log(predecessor[len(scales)], n_bits, mantissa_bits) // 16
            if section.n_columns:
                row, column = divmod(section.first_column + t, section.n_columns)
                level += (section.rows[row] + section.columns[column]) * 2**step_log2
            scales.append(compute_power(level, n_bits, mantissa_bits))
    return scales


def find_context(
    element: int, n_bits: int, key_shift: int, key_base: int, runs: Sequence[tuple[int, int]]
) -> int:
    """Return the context that an element of n_bits picks; `runs` are pairs of context and last key."""
    magnitude = element % (1 << (n_bits - 1))
    key = min(max(magnitude // 2**key_shift - key_base, 0), 255)
    return next(context for context, last_key in runs if key <= last_key)
