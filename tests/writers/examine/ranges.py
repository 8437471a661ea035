"""Our ranges of a checkpoint, each with the places where the real library has the very same bytes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weightzip.codec.containers import DirectorySurroundings, read_layout
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.source import FileSource
from writers.examine.contents import Storage, list_storages, load_tensors, round_to_16_bits

# Enough to tell one tensor from another; a step counter stands everywhere.
_MAX_PLACES = 64


@dataclass(frozen=True)
class FoundRange:
    """A tensor that a container reader found.

    `places` are keys of storages with the offsets of its bytes in them. `has_master`: some fp32 storage, rounded, holds
    its 16-bit values.
    """

    file: str
    tensor: TensorRange
    places: frozenset[tuple[str, int]]
    has_master: bool


@dataclass(frozen=True)
class Examined:
    """One checkpoint: what we found in it, and how many bytes of storages the real library did."""

    path: Path
    ranges: tuple[FoundRange, ...]
    storage_bytes: int

    @property
    def range_bytes(self) -> int:
        """Return the bytes of all ranges that are known to be tensors of some dtype."""
        return sum(one.tensor.n_bytes for one in self.ranges if one.tensor.dtype != DType.OPAQUE)

    @property
    def strangers(self) -> Sequence[FoundRange]:
        """Return the ranges whose bytes the real library has nowhere: a reader that finds such a range is wrong."""
        return [one for one in self.ranges if not one.places and one.tensor.dtype != DType.OPAQUE]

    def group_by_file(self) -> Mapping[str, Mapping[str, FoundRange]]:
        """Return the ranges by file and name."""
        groups: dict[str, dict[str, FoundRange]] = {}
        for one in self.ranges:
            groups.setdefault(one.file, {})[one.tensor.name] = one
        return groups


def examine_checkpoint(checkpoint: Path) -> Examined:
    """Find the ranges of all files of a checkpoint, and where the real library has their bytes."""
    storages = list_storages(load_tensors(checkpoint))
    files = [checkpoint] if checkpoint.is_file() else sorted(checkpoint.rglob("*"))
    ranges: list[FoundRange] = []
    for path in files:
        if path.is_file() and not path.is_symlink():
            name = "" if path == checkpoint else path.relative_to(checkpoint).as_posix()
            ranges.extend(_examine_file(path, name, storages))
    return Examined(checkpoint, tuple(ranges), sum(len(storage.data) for storage in storages))


def _examine_file(path: Path, name: str, storages: Sequence[Storage]) -> Iterator[FoundRange]:
    rounded = [round_to_16_bits(storage) for storage in storages]
    with FileSource(path) as source:
        for tensor in read_layout(source, DirectorySurroundings(path)).tensors:
            data = bytes(source.read_at(tensor.offset, tensor.n_bytes))
            has_master = any(data in copies.get(tensor.dtype, b"") for copies in rounded)
            if data:
                yield FoundRange(name, tensor, _find_places(data, tensor, storages), has_master)


def _find_places(data: bytes, tensor: TensorRange, storages: Sequence[Storage]) -> frozenset[tuple[str, int]]:
    places = (
        (storage.key, at)
        for storage in storages
        if storage.dtype == tensor.dtype
        for at in storage.find(data)
    )
    return frozenset(place for place, _ in zip(places, range(_MAX_PLACES), strict=False))
