"""Made the golden vectors once; run it again only for a new vector, under a new name.

    python tests/golden/make_vectors.py [NAME...]

Without a name, all of them. Each vector is NAME.raw (the shard), NAME.wzst (its archive) and, if it leans on other
files, NAME.base0, NAME.base1, ... in the order of the archive's header.
An existing vector is never replaced: a reader must be able to read what any released writer wrote.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from golden.recipe_vectors import RECIPE_MAKERS, Vector
from shards.archives import MemoryPredecessor, build_archive
from shards.build import Tensor, build_safetensors, build_step, to_bf16
from shards.gaps import build_gapped, list_states
from weightzip.codec.format.dtypes import DType

VECTORS = Path(__file__).parent / "vectors"


def _make_weights(n_elements: int, step: int = 0) -> np.ndarray:
    start = np.random.default_rng(5).standard_normal(n_elements) * 0.02
    moved = np.random.default_rng(step).standard_normal(n_elements)
    return (start * (1 + 0.002 * step * moved)).astype(np.float32)


def _make_bf16(step: int) -> bytes:
    data = to_bf16(_make_weights(70_000, step))
    return build_safetensors([Tensor("w", "BF16", (70_000,), data)], metadata={"format": "pt"})


def _make_fp32(step: int) -> bytes:
    data = _make_weights(9_000, step).tobytes()
    return build_safetensors([Tensor("w", "F32", (90, 100), data)], pad=False)


def _make_fp64(step: int) -> bytes:
    data = _make_weights(3_000, step).astype("<f8").tobytes()
    return build_safetensors([Tensor("w", "F64", (3000,), data)])


def _make_counters(step: int) -> bytes:
    values = np.random.default_rng(9).integers(0, 1 << 50, 2_000) + step * np.arange(2_000) // 7
    return build_safetensors([Tensor("seen", "I64", (2000,), values.astype("<i8").tobytes())])


def _make_every_dtype(step: int) -> bytes:
    rng = np.random.default_rng(100 + step)
    tensors = [
        Tensor(dtype.name.lower(), dtype.name, (8 * 30,), rng.bytes(dtype.bits * 30))
        for dtype in sorted(DType)
        if dtype != DType.OPAQUE
    ]
    return build_safetensors(tensors, hole_bytes=1)


def _make_fp8(step: int) -> bytes:
    data = _make_weights(20_000, step).astype(np.float16).view(np.uint8)[1::2].tobytes()
    return build_safetensors([Tensor("w", "F8_E5M2", (20_000,), data)])


def _plan(make: Callable[[int], bytes], *, has_base: bool) -> Callable[[], Vector]:
    """Return the maker of a vector whose recipes the encoder chooses; the base is the shard one step before."""

    def make_vector() -> Vector:
        shard, bases = make(2), (make(1),) if has_base else ()
        archive = build_archive(shard, MemoryPredecessor(bases[0]) if bases else None)
        return Vector(shard, archive, bases)

    return make_vector


def _make_arranged() -> Vector:
    """Return a vector with an arrangement, which leans on itself and on the step before."""
    base, base_layout = build_gapped(list_states(1))
    shard, layout = build_gapped(list_states(2))
    archive = build_archive(shard, MemoryPredecessor(base, base_layout), layout=layout)
    return Vector(shard, archive, (base,))


MAKERS: dict[str, Callable[[], Vector]] = {
    "hello": _plan(lambda step: b"hello, hello, hello, weights!\n", has_base=False),
    "empty": _plan(lambda step: b"", has_base=False),
    "one-byte": _plan(lambda step: b"\x80", has_base=False),
    "zeros": _plan(lambda step: bytes(100_000), has_base=False),
    "text": _plan(lambda step: b"".join(b"line %d of a log\n" % n for n in range(3000)), has_base=False),
    "step": _plan(lambda step: build_step(step, n_elements=2_000), has_base=False),
    "step-moved": _plan(lambda step: build_step(step, n_elements=2_000), has_base=True),
    "bf16": _plan(_make_bf16, has_base=False),
    "bf16-moved": _plan(_make_bf16, has_base=True),
    "fp32": _plan(_make_fp32, has_base=False),
    "fp32-moved": _plan(_make_fp32, has_base=True),
    "fp64-moved": _plan(_make_fp64, has_base=True),
    "fp8": _plan(_make_fp8, has_base=False),
    "fp8-moved": _plan(_make_fp8, has_base=True),
    "counters-moved": _plan(_make_counters, has_base=True),
    "every-dtype": _plan(_make_every_dtype, has_base=False),
    "every-dtype-moved": _plan(_make_every_dtype, has_base=True),
    "arranged": _make_arranged,
    **RECIPE_MAKERS,
}


def write_vector(name: str) -> None:
    """Write one vector; refuse to replace an existing one."""
    vector = MAKERS[name]()
    parts = {"raw": vector.shard, "wzst": vector.archive}
    parts |= {f"base{number}": base for number, base in enumerate(vector.bases)}
    for suffix, data in parts.items():
        with (VECTORS / f"{name}.{suffix}").open("xb") as file:
            file.write(data)


if __name__ == "__main__":
    for vector_name in sys.argv[1:] or MAKERS:
        write_vector(vector_name)
