"""Block groups of every recipe: the seeds of the fuzzer in tests/native/fuzz_groups.cpp."""

import struct
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from support.handmade_groups import (
    BY_PREDECESSOR,
    IDENTITY,
    build_context_group,
    list_needs,
    write_context_source,
    write_recipe,
)
from support.recipe_jobs import RecipeJob, add_elements, encode_job, list_recipe_jobs, make_layers

_COMPANION_BEGIN = 12345
_TWO_THREADS = 2
_MANY_BLOCKS = 9 * 1024 + 5


def list_group_seeds() -> list[bytes]:
    """Return an input for each recipe and a short and a longer group, and some of many blocks."""
    seeds = [seed for job in list_recipe_jobs() for n in (150, 1500) for seed in _encode(job, n)]
    return seeds + [_build_many_blocks(size, flags) for size in (1, 2, 4, 8) for flags in (0, _TWO_THREADS)]


def _encode(job: RecipeJob, n_elements: int) -> Iterator[bytes]:
    size = job.element_bytes
    predecessor = _make_input(n_elements * size, 0)
    companion = _make_input(n_elements * (job.companion_bytes or 1), _COMPANION_BEGIN)
    layers = make_layers(n_elements, size)
    if job.uses_predecessor:
        layers = add_elements(layers, predecessor, size)
    narrow = _clear_lowest(_move(predecessor, size), size)
    for raw in (_move(predecessor, size), narrow, _follow(companion, size, n_elements), layers):
        group = encode_job(job, raw, predecessor, companion)
        yield _write_seed(len(raw), len(companion), group)


def _write_seed(raw_bytes: int, companion_bytes: int, group: bytes, flags: int = 0) -> bytes:
    needs_predecessor, needs_companion = list_needs(group)
    flags |= needs_predecessor
    return struct.pack("<IIB", raw_bytes - 1, companion_bytes if needs_companion else 0, flags) + group


def _make_input(n_bytes: int, begin: int) -> bytes:
    """Return what input_byte in fuzz_groups.cpp gives."""
    places = np.arange(begin, begin + n_bytes, dtype=np.uint32)
    return (0x38 + (places * np.uint32(2654435761) >> np.uint32(29))).astype("u1").tobytes()


def _move(predecessor: bytes, element_bytes: int) -> bytes:
    """Return elements that are those of the predecessor but for some of their lower bytes."""
    moved = _columns(predecessor, element_bytes).copy()
    rng = np.random.default_rng(len(predecessor))
    moved[:, 0] ^= rng.geometric(0.3, len(moved)).clip(0, 255).astype("u1") & 7
    return moved.tobytes()


def _clear_lowest(elements: bytes, element_bytes: int) -> bytes:
    """Return elements that hold values of a narrower type."""
    cleared = _columns(elements, element_bytes).copy()
    cleared[:, : element_bytes - 1] = 0
    cleared[:, -1] &= 0xF0
    return cleared.tobytes()


def _follow(companion: bytes, element_bytes: int, n_elements: int) -> bytes:
    """Return elements whose upper bytes are nearly always those of the companion's elements, others random."""
    rng = np.random.default_rng(n_elements)
    raw = rng.integers(0, 256, (n_elements, element_bytes), dtype=np.uint8)
    upper = _columns(companion, len(companion) // n_elements)[:, -1]
    raw[:, -1] = np.where(rng.random(n_elements) < 0.98, upper, raw[:, -1])
    return raw.tobytes()


def _columns(data: bytes, element_bytes: int) -> NDArray[np.uint8]:
    return np.frombuffer(data, "u1").reshape(-1, element_bytes)


def _build_many_blocks(element_bytes: int, flags: int) -> bytes:
    """Return a seed of enough blocks for the kernels to decode several in lockstep."""
    source = write_context_source(8 * element_bytes - 8, 0x38, [(0, 3), (1, 255)])
    recipe = write_recipe(element_bytes, IDENTITY, n_contexts=2, context_input=BY_PREDECESSOR, source=source)
    group = build_context_group(recipe, element_bytes, 2, _MANY_BLOCKS)
    return _write_seed(_MANY_BLOCKS * element_bytes, 0, group, flags)
