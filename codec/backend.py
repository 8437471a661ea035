"""The block operations as a protocol, and the CPU's implementation over the native core."""

import os
from collections.abc import Sequence
from typing import Protocol, TypedDict

from weightzip.codec import _native
from weightzip.codec.recipes.recipe import Recipe
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData, UsageError

# Bounds the memory of many cores: with more frames at once the threads inside of each do not get more done.
_MAX_FRAMES_AT_ONCE = 8


class BlockDecoder(Protocol):
    """Decodes block groups (docs/format.md, "Block group"). Safe to call from several threads."""

    def decode_blocks(
        self,
        group: BytesLike,
        predecessor: BytesLike | None,
        companion: BytesLike | None,
        out: memoryview,
        place: str,
    ) -> None:
        """Decode a block group into out, which has exactly the size of the raw bytes.

        The inputs are given exactly if the group's recipe needs them.

        Raises:
            CorruptData: the group contradicts the format; out holds nothing of use.
        """


class BlockBackend(BlockDecoder, Protocol):
    """Encodes block groups too."""

    @property
    def frames_at_once(self) -> int:
        """Return how many frames a caller should work on at the same time to keep the backend busy."""

    def estimate_blocks(
        self, raw: BytesLike, predecessor: BytesLike | None, companion: BytesLike | None, recipe: Recipe
    ) -> int:
        """Return about how many bytes encode_blocks would return, from a sample of raw."""

    def encode_blocks(
        self, raw: BytesLike, predecessor: BytesLike | None, companion: BytesLike | None, recipe: Recipe
    ) -> bytes:
        """Return the block group of raw; the same bytes whatever the number of threads.

        The inputs must be there if the recipe needs them; others are passed over.
        """


class CpuBackend:
    """Block operations on the CPU, on `n_threads` threads (0: all cores) if as many frames at once are worked on.

    Starting a thread takes as long as decoding half a frame: more than one a frame is for machines of many cores.
    """

    def __init__(self, n_threads: int = 0) -> None:
        if n_threads < 0:
            raise UsageError(f"{n_threads} threads make no sense: 0 means all cores")
        n_threads = n_threads or _count_cores()
        self._frames_at_once = min(n_threads, _MAX_FRAMES_AT_ONCE)
        self._threads_a_frame = n_threads // self._frames_at_once

    @property
    def frames_at_once(self) -> int:
        return self._frames_at_once

    def estimate_blocks(
        self, raw: BytesLike, predecessor: BytesLike | None, companion: BytesLike | None, recipe: Recipe
    ) -> int:
        inputs = _select_inputs(recipe, predecessor, companion)
        return _native.estimate_blocks(raw, *inputs, **_describe_recipe(recipe))

    def encode_blocks(
        self, raw: BytesLike, predecessor: BytesLike | None, companion: BytesLike | None, recipe: Recipe
    ) -> bytes:
        inputs = _select_inputs(recipe, predecessor, companion)
        return _native.encode_blocks(
            raw,
            *inputs,
            **_describe_recipe(recipe),
            max_low_contexts=recipe.max_low_contexts,
            n_threads=self._threads_a_frame,
        )

    def decode_blocks(
        self,
        group: BytesLike,
        predecessor: BytesLike | None,
        companion: BytesLike | None,
        out: memoryview,
        place: str,
    ) -> None:
        try:
            _native.decode_blocks(group, predecessor, companion, out, n_threads=self._threads_a_frame)
        except _native.CorruptBlocks as error:
            raise CorruptData(f"{place}: {error}") from error


class _RecipeWishes(TypedDict):
    """A recipe in the words of the native core, as far as estimates see it."""

    element_bytes: int
    transform: int
    predictor: int
    context_input: int
    companion_bytes: int
    max_contexts: int
    key_shift: int
    mantissa_bits: int
    sections: Sequence[tuple[int, int, int]]


def _describe_recipe(recipe: Recipe) -> _RecipeWishes:
    return {
        "element_bytes": recipe.element_bytes,
        "transform": recipe.transform,
        "predictor": recipe.predictor,
        "context_input": recipe.context_input,
        "companion_bytes": recipe.companion_bytes,
        "max_contexts": recipe.max_contexts,
        "key_shift": recipe.key_shift,
        "mantissa_bits": recipe.mantissa_bits,
        "sections": recipe.sections,
    }


def _select_inputs(
    recipe: Recipe, predecessor: BytesLike | None, companion: BytesLike | None
) -> tuple[BytesLike | None, BytesLike | None]:
    return (
        predecessor if recipe.takes_predecessor else None,
        companion if recipe.needs_companion else None,
    )


def _count_cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def list_cpu_features() -> list[str]:
    """Return the CPU features that the native core uses on this machine."""
    return list(_native.cpu_features())
