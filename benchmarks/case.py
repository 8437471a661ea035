"""One thing to compress, and what its bytes are: no ratio means anything without that."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.shard import RawTensor, write_tensors
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange


@dataclass(frozen=True)
class Facts:
    """What a reader must know about the bytes of a case. `-` stands where a fact does not apply."""

    data: str
    dtype: str
    kind: str
    beta2: str = "-"
    spacing: str = "alone"
    rate_phase: str = "-"


@dataclass(frozen=True)
class Case:
    """Tensors of one kind: as a file for us, and without their header for rivals that take a buffer.

    The file may hold more: what trainers save in one file with them, and we may read first.
    """

    facts: Facts
    shard: Path
    predecessor_shard: Path | None
    tensors: tuple[TensorRange, ...] = field(repr=False)  # their places in `raw`
    raw: bytes = field(repr=False)
    predecessor_raw: bytes | None = field(repr=False)

    @property
    def element_bytes(self) -> int:
        """Return the size of one element."""
        return DType[self.facts.dtype].element_bytes


@dataclass(frozen=True)
class WholeCheckpoint:
    """The files of one step, and the directory of an older one, if any."""

    facts: Facts
    files: tuple[Path, ...]
    predecessor: Path | None


def build_case(
    folder: Path,
    facts: Facts,
    tensors: Mapping[str, RawTensor],
    predecessor: Mapping[str, RawTensor] | None = None,
    companions: Mapping[str, RawTensor] | None = None,
) -> Case:
    """Write the shards of a case into `folder` and return it.

    `companions` are other tensors for the same file. `predecessor` may hold more than both: what they have no name
    for is left out.
    """
    whole = {**tensors, **(companions or {})}
    stem = "-".join(value for value in (facts.data, facts.kind, facts.dtype, facts.spacing)).replace(" ", "_")
    shard = folder / f"{stem}.safetensors"
    write_tensors(shard, whole)
    predecessor_shard = None
    if predecessor is not None:
        predecessor_shard = folder / f"{stem}.predecessor.safetensors"
        write_tensors(predecessor_shard, {name: predecessor[name] for name in whole})
    return Case(
        facts,
        shard,
        predecessor_shard,
        tuple(_place_tensors(tensors)),
        _join(tensors),
        None if predecessor is None else _join({name: predecessor[name] for name in tensors}),
    )


def _join(tensors: Mapping[str, RawTensor]) -> bytes:
    return b"".join(tensor.data for tensor in tensors.values())


def _place_tensors(tensors: Mapping[str, RawTensor]) -> Iterator[TensorRange]:
    offset = 0
    for name, tensor in tensors.items():
        yield TensorRange(name, DType[tensor.dtype], tensor.shape, offset, len(tensor.data))
        offset += len(tensor.data)
