"""What picks the table of an element (docs/format.md, "Recipe", the context source)."""

from dataclasses import dataclass

import numpy as np

from weightzip.codec.format.cursor import Cursor
from weightzip.codec.reference.elements import Elements, Numbers, take_magnitudes


@dataclass(frozen=True)
class ContextSource:
    """How an element of the context input picks a context."""

    key_shift: int
    key_base: int
    contexts: tuple[int, ...]
    last_keys: tuple[int, ...]

    def find_contexts(self, context_input: Elements) -> Numbers:
        """Return the context of each element."""
        shifted = take_magnitudes(context_input) >> np.uint64(self.key_shift)
        base = np.uint64(self.key_base)
        keys = np.where(shifted > base, shifted - base, np.uint64(0))  # what wraps is not taken
        keys = np.minimum(keys, np.uint64(255)).astype(np.int64)
        return np.array(self.contexts)[np.searchsorted(self.last_keys, keys, side="left")]


def read_context_source(cursor: Cursor, n_contexts: int) -> ContextSource:
    """Return the context source at the cursor."""
    key_shift = cursor.u8("key_shift")
    cursor.expect(key_shift <= 63, "key_shift is above 63")
    key_base = cursor.u32("key_base")
    n_runs = cursor.u8("n_runs") + 1
    runs = [(cursor.u8("context"), cursor.u8("last_key")) for _ in range(n_runs)]
    contexts = tuple(context for context, _ in runs)
    last_keys = tuple(last_key for _, last_key in runs)
    cursor.expect(max(contexts) < n_contexts, "a run names a context that does not exist")
    cursor.expect(last_keys == tuple(sorted(set(last_keys))), "last_keys do not ascend")
    cursor.expect(last_keys[-1] == 255, "the last run does not end at 255")
    return ContextSource(key_shift, key_base, contexts, last_keys)
