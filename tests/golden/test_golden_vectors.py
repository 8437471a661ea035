"""Archives of earlier writers are read for ever, by the product and by the reference. Nothing here writes."""

import io
from pathlib import Path

import pytest

from shards.archives import MemoryPredecessor, map_by_digest
from weightzip.codec.backend import CpuBackend
from weightzip.codec.decoder import decode_shard
from weightzip.codec.format.block_group import Transform
from weightzip.codec.format.data_frame import Method
from weightzip.codec.reader import Archive
from weightzip.codec.reference import decode_archive
from weightzip.codec.source import MemorySource
from weightzip.codec.stream import StreamDecoder

VECTORS = Path(__file__).parent / "vectors"
# Written out, with the number of files that each leans on, so that one that got lost fails instead of passing unseen.
N_BASES = {
    "hello": 0,
    "empty": 0,
    "one-byte": 0,
    "zeros": 0,
    "text": 0,
    "step": 0,
    "step-moved": 1,
    "bf16": 0,
    "bf16-moved": 1,
    "fp32": 0,
    "fp32-moved": 1,
    "fp64-moved": 1,
    "fp8": 0,
    "fp8-moved": 1,
    "counters-moved": 1,
    "every-dtype": 0,
    "every-dtype-moved": 1,
    "arranged": 1,
    "factors": 0,
    "factors-blend-fp8": 1,
    "factors-blend-bf16": 1,
    "factors-blend-fp32": 1,
    "factors-blend-fp64": 1,
    "factors-sections": 0,
    "scales-bf16": 1,
    "scales-fp32": 1,
    "low-contexts": 0,
    "narrow": 4,
    "companion": 1,
    "derived": 1,
    "own-bytes": 2,
}


def _load(name: str) -> tuple[bytes, bytes, list[MemoryPredecessor]]:
    """Return (shard, archive, files it leans on)."""
    bases = [(VECTORS / f"{name}.base{number}").read_bytes() for number in range(N_BASES[name])]
    shard, archive = ((VECTORS / f"{name}.{suffix}").read_bytes() for suffix in ("raw", "wzst"))
    return shard, archive, [MemoryPredecessor(base) for base in bases]


@pytest.mark.parametrize("name", N_BASES)
def test_the_product_reads_it(name: str) -> None:
    shard, archive, bases = _load(name)
    opened = Archive(MemorySource(archive), beside=bases)
    assert b"".join(decode_shard(opened)) == shard
    if opened.header.needs_random_access:
        return
    piped = StreamDecoder(io.BytesIO(archive), predecessor=None, beside=bases, backend=CpuBackend(2))
    assert b"".join(piped) == shard


@pytest.mark.parametrize("name", N_BASES)
def test_the_reference_reads_it(name: str) -> None:
    shard, archive, bases = _load(name)
    assert decode_archive(archive, map_by_digest(bases)) == shard


def test_every_file_is_listed_and_every_form_is_covered() -> None:
    assert {path.stem for path in VECTORS.iterdir()} == set(N_BASES)
    frames = [Archive(MemorySource(_load(name)[1])).index.frames for name in N_BASES]
    rows = [table.row(number).facts for table in frames for number in range(len(table))]
    assert {row.method for row in rows} == set(Method)
    assert {row.transform for row in rows} == set(Transform)
