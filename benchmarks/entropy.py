"""Computed, not coded: how many bytes an ideal coder would need for the integer difference to a predecessor.

Differences are taken in the order-preserving map, in zigzag form, cut into byte planes; all tensors of a case share
one distribution a plane (or one a plane and exponent of the predecessor), which costs nothing to learn or to store.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.case import Case

Symbols = npt.NDArray[np.int64]

# Where the sign and 8 bits of exponent stand in fp32 and bf16.
_EXPONENT_BITS = 8


class Entropies(NamedTuple):
    """Parts of the original size."""

    order0: float
    given_exponent: float


def compute_entropies(case: Case) -> Entropies | None:
    """Return the entropies of a case, None without predecessor or for a dtype without 8 bits of exponent."""
    if case.predecessor_raw is None or case.facts.dtype not in {"BF16", "F32"}:
        return None
    n_bits = 8 * case.element_bytes
    unsigned = f"<u{case.element_bytes}"
    values, predecessors = (
        np.frombuffer(raw, unsigned).astype(np.int64) for raw in (case.raw, case.predecessor_raw)
    )
    residuals = compute_residuals(values, predecessors, n_bits)
    exponents = (predecessors >> (n_bits - 1 - _EXPONENT_BITS)) & 0xFF
    planes = [(residuals >> shift) & 0xFF for shift in range(0, n_bits, 8)]
    n_all = n_bits * len(values)
    return Entropies(
        sum(count_bits(plane, np.zeros_like(plane)) for plane in planes) / n_all,
        sum(count_bits(plane, exponents) for plane in planes) / n_all,
    )


def compute_residuals(values: Symbols, predecessors: Symbols, n_bits: int) -> Symbols:
    """Return the zigzag form of the differences modulo 2**n_bits, in the map that orders floats as integers."""
    half = 1 << (n_bits - 1)
    difference = _order(values, n_bits) - _order(predecessors, n_bits)
    wrapped = ((difference + half) & (2 * half - 1)) - half
    return np.where(wrapped < 0, -2 * wrapped - 1, 2 * wrapped)


def count_bits(symbols: Symbols, contexts: Symbols) -> float:
    """Return the ideal size, in bits, of byte symbols whose distribution in each context is known."""
    counts = np.bincount(contexts * 256 + symbols, minlength=256 * (int(contexts.max(initial=0)) + 1))
    table = counts.reshape(-1, 256).astype(np.float64)
    in_context = np.broadcast_to(table.sum(axis=1, keepdims=True), table.shape)
    seen = table > 0
    return float((table[seen] * np.log2(in_context[seen] / table[seen])).sum())


def _order(bits: Symbols, n_bits: int) -> Symbols:
    sign, mask = 1 << (n_bits - 1), (1 << n_bits) - 1
    return np.where(bits & sign, ~bits & mask, bits | sign)
