"""Archives of earlier writers are read for ever, by the product and by the reference. Nothing here writes."""

import io
from pathlib import Path

import pytest

from shards.archives import MemoryPredecessor
from weightzip.codec.backend import CpuBackend
from weightzip.codec.decoder import decode_shard
from weightzip.codec.format.block_group import Transform
from weightzip.codec.format.data_frame import Method
from weightzip.codec.reader import Archive
from weightzip.codec.reference import decode_archive
from weightzip.codec.source import MemorySource
from weightzip.codec.stream import StreamDecoder

VECTORS = Path(__file__).parent / "vectors"
# Written out, so that a vector that got lost fails instead of passing unseen.
NAMES = (
    "hello",
    "empty",
    "one-byte",
    "zeros",
    "text",
    "step",
    "step-moved",
    "bf16",
    "bf16-moved",
    "fp32",
    "fp32-moved",
    "fp64-moved",
    "fp8",
    "fp8-moved",
    "counters-moved",
    "every-dtype",
    "every-dtype-moved",
)


def _load(name: str) -> tuple[bytes, bytes, MemoryPredecessor | None]:
    """Return (shard, archive, predecessor)."""
    base = VECTORS / f"{name}.base"
    predecessor = MemoryPredecessor(base.read_bytes()) if name.endswith("-moved") else None
    return (VECTORS / f"{name}.raw").read_bytes(), (VECTORS / f"{name}.wzst").read_bytes(), predecessor


@pytest.mark.parametrize("name", NAMES)
def test_the_product_reads_it(name: str) -> None:
    shard, archive, predecessor = _load(name)
    opened = Archive(MemorySource(archive), predecessor=predecessor)
    assert b"".join(decode_shard(opened)) == shard
    piped = StreamDecoder(io.BytesIO(archive), predecessor=predecessor, backend=CpuBackend(2))
    assert b"".join(piped) == shard


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_reads_it(name: str) -> None:
    shard, archive, predecessor = _load(name)
    assert decode_archive(archive, predecessor) == shard


def test_every_file_is_listed_and_every_form_is_covered() -> None:
    assert {path.stem for path in VECTORS.iterdir()} == set(NAMES)
    frames = [Archive(MemorySource(_load(name)[1])).index.frames for name in NAMES]
    rows = [table.row(number).facts for table in frames for number in range(len(table))]
    assert {row.method for row in rows} == set(Method)
    assert {row.transform for row in rows} == set(Transform)
