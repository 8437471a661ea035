"""The block operations as a protocol, and the CPU's implementation over the native core."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from weightzip.codec import _native
from weightzip.codec.format.block_group import Transform
from weightzip.codec.recipes.recipe import Recipe
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData

# Bounds the memory of many cores: with more frames at once the threads inside of each do not get more done.
_MAX_FRAMES_AT_ONCE = 8


class BlockDecoder(Protocol):
    """Decodes block groups (docs/format.md, "Block group"). Safe to call from several threads."""

    def decode_blocks(
        self, group: BytesLike, predecessor: BytesLike | None, out: memoryview, place: str
    ) -> None:
        """Decode a block group into out, which has exactly the size of the raw bytes.

        Raises:
            CorruptData: the group contradicts the format; out holds nothing of use.
        """


class BlockBackend(BlockDecoder, Protocol):
    """Encodes block groups too."""

    @property
    def frames_at_once(self) -> int:
        """Return how many frames a caller should work on at the same time to keep the backend busy."""

    def estimate_blocks(self, raw: BytesLike, predecessor: BytesLike | None, recipe: Recipe) -> int:
        """Return about how many bytes encode_blocks would return, from a sample of raw."""

    def encode_blocks(self, raw: BytesLike, predecessor: BytesLike | None, recipe: Recipe) -> bytes:
        """Return the block group of raw; the same bytes whatever the number of threads."""


class CpuBackend:
    """Block operations on the CPU, on `n_threads` threads (0: all cores), which calls at the same time share."""

    def __init__(self, n_threads: int = 0) -> None:
        self._n_threads = n_threads or _count_cores()
        self._n_calls = 0
        self._lock = threading.Lock()

    @property
    def frames_at_once(self) -> int:
        return min(self._n_threads, _MAX_FRAMES_AT_ONCE)

    def estimate_blocks(self, raw: BytesLike, predecessor: BytesLike | None, recipe: Recipe) -> int:
        return _native.estimate_blocks(
            raw,
            predecessor if recipe.needs_predecessor else None,
            None,
            element_bytes=recipe.element_bytes,
            transform=recipe.transform,
            predictor=int(recipe.transform >= Transform.FLOAT_DIFFERENCE),
            context_input=int(recipe.max_contexts > 1),
            max_contexts=recipe.max_contexts,
            key_shift=recipe.key_shift,
        )

    def encode_blocks(self, raw: BytesLike, predecessor: BytesLike | None, recipe: Recipe) -> bytes:
        with self._share_threads() as n_threads:
            return _native.encode_blocks(
                raw,
                predecessor if recipe.needs_predecessor else None,
                None,
                element_bytes=recipe.element_bytes,
                transform=recipe.transform,
                predictor=int(recipe.transform >= Transform.FLOAT_DIFFERENCE),
                context_input=int(recipe.max_contexts > 1),
                max_contexts=recipe.max_contexts,
                key_shift=recipe.key_shift,
                n_threads=n_threads,
            )

    def decode_blocks(
        self, group: BytesLike, predecessor: BytesLike | None, out: memoryview, place: str
    ) -> None:
        try:
            with self._share_threads() as n_threads:
                _native.decode_blocks(group, predecessor, None, out, n_threads=n_threads)
        except _native.CorruptBlocks as error:
            raise CorruptData(f"{place}: {error}") from error

    @contextmanager
    def _share_threads(self) -> Iterator[int]:
        """Yield how many threads a call may use beside those in progress. No result depends on it."""
        with self._lock:
            self._n_calls += 1
            n_threads = max(self._n_threads // self._n_calls, 1)
        try:
            yield n_threads
        finally:
            with self._lock:
                self._n_calls -= 1


def _count_cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def list_cpu_features() -> list[str]:
    """Return the CPU features that the native core uses on this machine."""
    return list(_native.cpu_features())
