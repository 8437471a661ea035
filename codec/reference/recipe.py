"""The recipe at the front of a block group, with its context source (docs/format.md, "Recipe")."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weightzip.codec.format.block_group import RecipeHead, decode_recipe_head
from weightzip.codec.format.cursor import Cursor

_HEAD_BYTES = 4


@dataclass(frozen=True)
class ContextSource:
    """How an element of the predecessor picks a context."""

    key_shift: int
    key_base: int
    contexts: tuple[int, ...]
    last_keys: tuple[int, ...]

    def find_contexts(self, predecessor: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the context of each element."""
        sign = 1 << (8 * predecessor.itemsize - 1)
        magnitudes = predecessor.astype(object) & ~sign  # whole numbers of any size: no wrapping to think of
        keys = [min(max((int(p) >> self.key_shift) - self.key_base, 0), 255) for p in magnitudes]
        runs = np.searchsorted(np.array(self.last_keys), np.array(keys, dtype=np.int64), side="left")
        return np.array(self.contexts, dtype=np.int64)[runs]


def read_recipe(cursor: Cursor, place: str) -> tuple[RecipeHead, ContextSource | None]:
    """Return the recipe at the cursor; the context source is None with one context."""
    head = decode_recipe_head(cursor.take(_HEAD_BYTES, "recipe"), place)
    if head.n_contexts == 1:
        return head, None
    key_shift = cursor.u8("key_shift")
    cursor.expect(key_shift <= 63, "key_shift is above 63")
    key_base = cursor.u32("key_base")
    n_runs = cursor.u8("n_runs") + 1
    runs = [(cursor.u8("context"), cursor.u8("last_key")) for _ in range(n_runs)]
    contexts = tuple(context for context, _ in runs)
    last_keys = tuple(last_key for _, last_key in runs)
    cursor.expect(max(contexts) < head.n_contexts, "a run names a context that does not exist")
    cursor.expect(last_keys == tuple(sorted(set(last_keys))), "last_keys do not ascend")
    cursor.expect(last_keys[-1] == 255, "the last run does not end at 255")
    return head, ContextSource(key_shift, key_base, contexts, last_keys)
