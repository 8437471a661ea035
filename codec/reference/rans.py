"""One rANS payload (docs/format.md, "rANS payload")."""

import numpy as np
import numpy.typing as npt

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.reference.tables import ESCAPE, PlaneTables

N_LANES = 32
_LOWER_BOUND = 1 << 16


def decode_payload(
    cursor: Cursor, plane: PlaneTables, contexts: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint8]:
    """Return the bytes of a plane of one block. `contexts` names the table of each element."""
    n_elements = len(contexts)
    states = cursor.column("<u4", N_LANES, "states").astype(np.int64)
    cursor.expect(bool(np.all(states >= _LOWER_BOUND)), "a state is too small")
    has_escape = any(table.has_escape for table in plane.tables)
    positions, replacements = _read_exceptions(cursor, n_elements) if has_escape else ([], [])
    cursor.expect(cursor.remaining % 2 == 0, "half a word is left")
    words = cursor.column("<u2", cursor.remaining // 2, "words").tolist()

    symbols = _decode_symbols(cursor, plane, contexts, states, words)
    escaped = np.flatnonzero(symbols == ESCAPE).tolist()
    cursor.expect(escaped == positions, "escapes and exceptions do not match")
    symbols[positions] = replacements
    return symbols.astype(np.uint8)


def _read_exceptions(cursor: Cursor, n_elements: int) -> tuple[list[int], list[int]]:
    n_exceptions = cursor.u32("n_exceptions")
    cursor.expect(n_exceptions <= n_elements, "more exceptions than elements")
    positions = cursor.column("<u2", n_exceptions, "positions").tolist()
    replacements = cursor.column("<u1", n_exceptions, "bytes").tolist()
    cursor.expect(positions == sorted(set(positions)), "exceptions do not ascend")
    if n_exceptions % 2:
        cursor.expect(cursor.u8("padding") == 0, "a padding byte is set")
    return positions, replacements


def _decode_symbols(
    cursor: Cursor,
    plane: PlaneTables,
    contexts: npt.NDArray[np.int64],
    states: npt.NDArray[np.int64],
    words: list[int],
) -> npt.NDArray[np.int64]:
    frequencies = np.array([table.frequencies for table in plane.tables])
    starts = np.array([table.starts() for table in plane.tables])
    owners = np.array([table.symbols_by_slot() for table in plane.tables])
    mask = (1 << plane.prob_bits) - 1
    n_words_read = 0
    symbols = np.zeros(len(contexts), dtype=np.int64)
    for begin in range(0, len(contexts), N_LANES):
        tables = contexts[begin : begin + N_LANES]
        x = states[: len(tables)]
        slots = x & mask
        found = owners[tables, slots]
        x = frequencies[tables, found] * (x >> plane.prob_bits) + slots - starts[tables, found]
        for lane in np.flatnonzero(x < _LOWER_BOUND):
            cursor.expect(n_words_read < len(words), "the words end early")
            x[lane] = x[lane] << 16 | words[n_words_read]
            n_words_read += 1
        states[: len(tables)] = x
        symbols[begin : begin + N_LANES] = found
    cursor.expect(n_words_read == len(words), "words are left over")
    cursor.expect(bool(np.all(states == _LOWER_BOUND)), "a state does not end where it must")
    return symbols
