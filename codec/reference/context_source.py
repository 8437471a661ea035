"""What picks the table of an element (docs/format.md, "Recipe", the context source)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import MAX_CONTEXTS
from weightzip.codec.reference.elements import Elements, Numbers, take_magnitudes


@dataclass(frozen=True)
class ContextRuns:
    """Which of n_contexts each key, a byte, has."""

    n_contexts: int
    contexts: tuple[int, ...]
    last_keys: tuple[int, ...]

    def find_contexts(self, keys: npt.NDArray[Any]) -> Numbers:
        """Return the context of each key."""
        return np.array(self.contexts)[np.searchsorted(self.last_keys, keys, side="left")]


@dataclass(frozen=True)
class ContextSource:
    """How an element of the context input picks a context."""

    key_shift: int
    key_base: int
    runs: ContextRuns

    def find_contexts(self, context_input: Elements) -> Numbers:
        """Return the context of each element."""
        shifted = take_magnitudes(context_input) >> np.uint64(self.key_shift)
        base = np.uint64(self.key_base)
        keys = np.where(shifted > base, shifted - base, np.uint64(0))  # what wraps is not taken
        return self.runs.find_contexts(np.minimum(keys, np.uint64(255)).astype(np.int64))


def read_context_source(cursor: Cursor, n_contexts: int) -> ContextSource:
    """Return the context source at the cursor."""
    key_shift = cursor.u8("key_shift")
    cursor.expect(key_shift <= 63, "key_shift is above 63")
    return ContextSource(key_shift, cursor.u32("key_base"), _read_runs(cursor, n_contexts))


def read_low_contexts(cursor: Cursor) -> ContextRuns | None:
    """Return the low contexts at the cursor, None if there are none."""
    n_contexts = cursor.u8("n_low_contexts")
    cursor.expect(
        n_contexts != 1 and n_contexts <= MAX_CONTEXTS, f"n_low_contexts {n_contexts} is out of range"
    )
    return _read_runs(cursor, n_contexts) if n_contexts else None


def _read_runs(cursor: Cursor, n_contexts: int) -> ContextRuns:
    n_runs = cursor.u8("n_runs") + 1
    runs = [(cursor.u8("context"), cursor.u8("last_key")) for _ in range(n_runs)]
    contexts = tuple(context for context, _ in runs)
    last_keys = tuple(last_key for _, last_key in runs)
    cursor.expect(max(contexts) < n_contexts, "a run names a context that does not exist")
    cursor.expect(last_keys == tuple(sorted(set(last_keys))), "last_keys do not ascend")
    cursor.expect(last_keys[-1] == 255, "the last run does not end at 255")
    return ContextRuns(n_contexts, contexts, last_keys)
