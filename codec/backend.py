"""The block operations as a protocol, and the CPU's implementation over the native core."""

from typing import Protocol

from weightzip.codec import _native
from weightzip.codec.recipes.recipe import Recipe
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData


class BlockBackend(Protocol):
    """Encodes and decodes block groups (docs/format.md, "Block group"). Safe to call from several threads."""

    def estimate_blocks(self, raw: BytesLike, predecessor: BytesLike | None, recipe: Recipe) -> int:
        """Return about how many bytes encode_blocks would return, from a sample of raw."""

    def encode_blocks(self, raw: BytesLike, predecessor: BytesLike | None, recipe: Recipe) -> bytes:
        """Return the block group of raw; the same bytes whatever the number of threads."""

    def decode_blocks(
        self, group: BytesLike, predecessor: BytesLike | None, out: memoryview, place: str
    ) -> None:
        """Decode a block group into out, which has exactly the size of the raw bytes.

        Raises:
            CorruptData: the group contradicts the format; out holds nothing of use.
        """


class CpuBackend:
    """Block operations on the CPU, on `n_threads` threads (0: all cores)."""

    def __init__(self, n_threads: int = 0) -> None:
        self._n_threads = n_threads

    def estimate_blocks(self, raw: BytesLike, predecessor: BytesLike | None, recipe: Recipe) -> int:
        return _native.estimate_blocks(
            raw,
            predecessor if recipe.needs_predecessor else None,
            element_bytes=recipe.element_bytes,
            transform=recipe.transform,
            max_contexts=recipe.max_contexts,
            key_shift=recipe.key_shift,
        )

    def encode_blocks(self, raw: BytesLike, predecessor: BytesLike | None, recipe: Recipe) -> bytes:
        return _native.encode_blocks(
            raw,
            predecessor if recipe.needs_predecessor else None,
            element_bytes=recipe.element_bytes,
            transform=recipe.transform,
            max_contexts=recipe.max_contexts,
            key_shift=recipe.key_shift,
            n_threads=self._n_threads,
        )

    def decode_blocks(
        self, group: BytesLike, predecessor: BytesLike | None, out: memoryview, place: str
    ) -> None:
        try:
            _native.decode_blocks(group, predecessor, out, n_threads=self._n_threads)
        except _native.CorruptBlocks as error:
            raise CorruptData(f"{place}: {error}") from error


def list_cpu_features() -> list[str]:
    """Return the CPU features that the native core uses on this machine."""
    return list(_native.cpu_features())
