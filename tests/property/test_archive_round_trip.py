"""Whatever the bytes, they come back: through the file's own reader, through a pipe, and through the reference."""

import io

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from shards.archives import MemoryPredecessor, build_archive, map_by_digest
from shards.build import Tensor, build_safetensors
from weightzip.codec.backend import CpuBackend
from weightzip.codec.decoder import decode_shard
from weightzip.codec.format.dtypes import DType
from weightzip.codec.reader import Archive
from weightzip.codec.reference import decode_archive
from weightzip.codec.source import MemorySource
from weightzip.codec.stream import StreamDecoder

DTYPES = sorted(dtype for dtype in DType if dtype != DType.OPAQUE)


@st.composite
def tensors(draw: st.DrawFn) -> list[tuple[DType, tuple[int, ...], bytes, bytes]]:
    """Draw up to eight tensors as (dtype, shape, bytes, bytes of the step before)."""
    drawn: list[tuple[DType, tuple[int, ...], bytes, bytes]] = []
    for _ in range(draw(st.integers(0, 8))):
        dtype = draw(st.sampled_from(DTYPES))
        rows = draw(st.integers(0, 40)) * (4 if dtype.bits < 8 else 1)
        shape = draw(st.sampled_from([(rows,), (rows, 3), (1, rows, 1)]))
        n_bytes = int(np.prod(shape)) * dtype.bits // 8
        rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
        old = rng.bytes(n_bytes)
        kind = draw(st.sampled_from(["same", "zero", "new", "moved", "smooth"]))
        moved = np.frombuffer(old, np.uint8) + rng.integers(0, 2, n_bytes).astype(np.uint8)
        smooth = np.sort(np.frombuffer(old, np.uint8))
        new = {
            "same": old,
            "zero": bytes(n_bytes),
            "new": rng.bytes(n_bytes),
            "moved": moved.tobytes(),
            "smooth": smooth.tobytes(),
        }[kind]
        drawn.append((dtype, shape, new, old))
    return drawn


def _restore_everyway(archive: bytes, predecessor: MemoryPredecessor | None) -> list[bytes]:
    backend = CpuBackend(1)
    opened = Archive(MemorySource(archive), predecessor=predecessor, backend=backend)
    restored = [
        b"".join(decode_shard(opened, n_threads=1)),
        decode_archive(archive, map_by_digest([predecessor] if predecessor is not None else [])),
    ]
    if not opened.header.needs_random_access:
        piped = StreamDecoder(io.BytesIO(archive), predecessor=predecessor, backend=backend)
        restored.append(b"".join(piped))
    return restored


def _check(shard: bytes, predecessor_bytes: bytes | None) -> None:
    predecessor = MemoryPredecessor(predecessor_bytes) if predecessor_bytes is not None else None
    archive = build_archive(shard, predecessor)
    restored = _restore_everyway(archive, predecessor)
    assert restored == [shard] * len(restored)


@given(tensors(), st.booleans(), st.integers(0, 3), st.booleans())
def test_safetensors(
    drawn: list[tuple[DType, tuple[int, ...], bytes, bytes]],
    pad: bool,
    hole_bytes: int,
    with_predecessor: bool,
) -> None:
    def build(which: int) -> bytes:
        listed = [
            Tensor(f"t{number}", parts[0].name, parts[1], parts[which])  # type: ignore[arg-type]
            for number, parts in enumerate(drawn)
        ]
        return build_safetensors(listed, pad=pad, hole_bytes=hole_bytes)

    shard = build(2)
    _check(shard, build(3) if with_predecessor else None)
    opened = Archive(MemorySource(build_archive(shard)))
    for number, (dtype, shape, new, _) in enumerate(drawn):
        tensor = opened.tensor(f"t{number}")
        assert (tensor.dtype, tensor.shape, bytes(tensor.data)) == (dtype, shape, new)


@given(st.binary(max_size=3000), st.none() | st.binary(max_size=3000))
@example(b"", None)
@example(b"", b"")
@example(b"\0", b"\0")
@example(b"x", b"")
def test_any_bytes(shard: bytes, predecessor: bytes | None) -> None:
    _check(shard, predecessor)


@given(st.integers(0, 400), st.integers(0, 255))
def test_every_length_of_patterned_bytes(n_bytes: int, start: int) -> None:
    _check(bytes((start + number // 7) % 256 for number in range(n_bytes)), None)


@given(st.dictionaries(st.text(max_size=20), st.binary(min_size=4, max_size=4), max_size=5))
def test_any_name(named: dict[str, bytes]) -> None:
    named.pop("__metadata__", None)
    shard = build_safetensors([Tensor(name, "U8", (4,), data) for name, data in named.items()])
    opened = Archive(MemorySource(build_archive(shard)))
    assert {name: bytes(opened.tensor(name).data) for name in opened.keys()} == named  # noqa: SIM118
