"""Small sound archives of every method and recipe, with what they restore and what they lean on: they are to be damaged."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shards.archives import MemoryPredecessor, build_archive
from shards.build import Tensor, build_safetensors, build_step, to_bf16
from shards.gaps import build_gapped, list_states
from support import arranged_archives, leaning_archives
from support.handmade_archives import BLOCKS, HandFrame, build_handmade_archive, whole
from support.handmade_groups import list_needs
from support.recipe_jobs import (
    RecipeJob,
    add_elements,
    encode_job,
    list_recipe_jobs,
    make_layers,
    make_moments,
)

_N_ELEMENTS = 500
# Two blocks and a bit, which still code to little.
_MANY_ELEMENTS = 2 * 65536 + 700


@dataclass(frozen=True)
class Victim:
    """An archive, its shard, and the files that its header names (and perhaps others)."""

    name: str
    archive: bytes
    shard: bytes
    files: tuple[MemoryPredecessor, ...] = ()


def list_victims() -> list[Victim]:
    """Build them all, the same on every call: what the encoder makes of shards, archives by hand, single recipes."""
    return [*_list_encoded(), *_list_handmade(), *_list_recipes()]


def _list_encoded() -> Iterator[Victim]:
    yield _encode("nothing", b"")
    yield _encode("one byte", b"\x80")
    yield _encode("text", b"".join(b"line %d of a log\n" % number for number in range(60)))
    yield _encode("zeros", bytes(5000))
    yield _encode("a step", build_step(2, n_elements=300))
    yield _encode("a step after another", build_step(2, n_elements=300), (build_step(1, n_elements=300),))
    yield _encode("several blocks", _build_rare_bytes())
    states, weights = _build_optimizer(2)
    yield _encode("optimizer alone", states)
    yield _encode("optimizer beside weights", states, (_build_optimizer(1)[0], weights))
    yield _encode("weights beside optimizer", weights, (_build_optimizer(1)[1], states))
    yield _encode("tied and copied", _build_copies())
    yield _encode_arranged("states with glue between", has_predecessor=False)
    yield _encode_arranged("states with glue between, after others", has_predecessor=True)


def _encode(name: str, shard: bytes, files: tuple[bytes, ...] = ()) -> Victim:
    """The first file is the predecessor."""
    given = tuple(MemoryPredecessor(file) for file in files)
    archive = build_archive(shard, given[0] if given else None, beside=given[1:])
    return Victim(name, archive, shard, given)


def _encode_arranged(name: str, has_predecessor: bool) -> Victim:
    """Return an archive of the state of an optimizer, with glue between its tensors."""
    (earlier, earlier_layout), (shard, layout) = (
        build_gapped(list_states(step, shapes=((11, 9), (30,)), n_parameters=4)) for step in (1, 2)
    )
    given = (MemoryPredecessor(earlier, earlier_layout),) if has_predecessor else ()
    return Victim(name, build_archive(shard, *given, layout=layout), shard, given)


def _build_rare_bytes() -> bytes:
    rng = np.random.default_rng(11)
    values = np.where(rng.random(_MANY_ELEMENTS) < 0.002, rng.integers(0, 256, _MANY_ELEMENTS), 7)
    data = values.astype("u1").tobytes()
    return build_safetensors([Tensor("mask", "U8", (_MANY_ELEMENTS,), data)])


def _build_optimizer(step: int) -> tuple[bytes, bytes]:
    """Return the moments and master weights of a parameter, and the weights in bf16, of a step."""
    shape = (30, 17)
    n_elements = shape[0] * shape[1]
    squares = np.frombuffer(make_moments(n_elements, 4)[step % 2], "<f4")
    rng = np.random.default_rng(4)
    master = (rng.standard_normal(n_elements) * 0.02).astype("<f4") + np.float32(1e-4 * step)
    mean = np.sqrt(np.abs(squares)) * rng.standard_normal(n_elements).astype("<f4")
    states = [
        Tensor("exp_avg.w", "F32", shape, mean.astype("<f4").tobytes()),
        Tensor("exp_avg_sq.w", "F32", shape, squares.tobytes()),
        Tensor("master.w", "F32", shape, master.tobytes()),
    ]
    return build_safetensors(states), build_safetensors([Tensor("w", "BF16", shape, to_bf16(master))])


def _build_copies() -> bytes:
    master = np.random.default_rng(8).standard_normal(_N_ELEMENTS).astype("<f4")
    return build_safetensors(
        [
            Tensor("half.w", "F16", (_N_ELEMENTS,), master.astype("<f2").tobytes()),
            Tensor("master.w", "F32", (_N_ELEMENTS,), master.tobytes()),
            Tensor("tied.w", "F32", (_N_ELEMENTS,), master.tobytes()),
        ]
    )


def _list_handmade() -> Iterator[Victim]:
    for name, leaning in (leaning_archives.SOUND | arranged_archives.SOUND).items():
        files = tuple(MemoryPredecessor(file) for file in leaning.references)
        yield Victim(name, leaning.build(), leaning.shard, files)


def _list_recipes() -> Iterator[Victim]:
    for job in list_recipe_jobs():
        raw, earlier = make_moments(_N_ELEMENTS, job.element_bytes)
        if job.max_low_contexts > 0:
            raw = make_layers(_N_ELEMENTS, job.element_bytes)
            if job.uses_predecessor:
                raw = add_elements(raw, earlier, job.element_bytes)
        companion = make_moments(_N_ELEMENTS, job.companion_bytes or 1, seed=1)[0]
        yield _seal_group(job, raw, encode_job(job, raw, earlier, companion), earlier, companion)


def _seal_group(job: RecipeJob, raw: bytes, group: bytes, earlier: bytes, companion: bytes) -> Victim:
    needs_predecessor, needs_companion = list_needs(group)
    frame = HandFrame(
        BLOCKS,
        raw,
        group,
        whole(earlier, 0) if needs_predecessor else None,
        whole(companion, 1) if needs_companion else None,
    )
    files = (earlier, companion)
    archive = build_handmade_archive([frame], files)
    return Victim(str(job), archive, raw, tuple(MemoryPredecessor(file) for file in files))
