"""What a bench reports: plain facts and the figures that follow from them. Nothing is measured or formatted here."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from weightzip.codec.recipes.level import Level

N_LARGEST = 20


class Kind(NamedTuple):
    """What tensors have in common for the codec: their role in training, and their dtype."""

    role: str
    dtype: str


@dataclass(frozen=True)
class KindResult:
    """All bytes of one kind. Glue and an archive's own index count as kinds without tensors."""

    kind: Kind
    n_tensors: int
    raw_bytes: int
    stored_bytes: int


@dataclass(frozen=True)
class TensorResult:
    """One tensor. Tensors that share a frame share its stored bytes by size."""

    source: Path
    name: str
    kind: Kind
    shape: tuple[int, ...]
    raw_bytes: int
    stored_bytes: int


@dataclass(frozen=True)
class Timing:
    """How long one way took: the median over the rounds, for `raw_bytes` of original bytes.

    `disk_bytes` is what came from a disk instead of memory while the rounds ran; None where the system does not tell.
    """

    raw_bytes: int
    seconds: float
    n_rounds: int
    disk_bytes: int | None

    @property
    def gb_per_second(self) -> float | None:
        """Return the speed in 10^9 original bytes a second, None for nothing."""
        return self.raw_bytes / 1e9 / self.seconds if self.raw_bytes and self.seconds else None


@dataclass(frozen=True)
class FileResult:
    """One file, compressed, restored and found equal to the original, digest (BLAKE3 in hex) and bytes.

    `base` is the predecessor that was offered; `leans` tells whether any frame leans on it. `beside` are the files of
    its checkpoint that frames lean on.
    """

    source: Path
    base: Path | None
    leans: bool
    beside: tuple[Path, ...]
    raw_bytes: int
    stored_bytes: int
    kinds: tuple[KindResult, ...]
    largest: tuple[TensorResult, ...]
    encode: Timing
    decode: Timing
    file_digest: str


@dataclass(frozen=True)
class Machine:
    """What the figures were measured on, and with."""

    processor: str
    n_cores: int
    memory_bytes: int
    cpu_features: tuple[str, ...]
    system: str
    python: str
    weightzip: str
    format_version: int
    load_average: float


@dataclass(frozen=True)
class BenchReport:
    """One run. Memory is resident memory of the whole process: at its peak, and before the first file."""

    measured_at: datetime
    machine: Machine
    n_threads: int
    files: tuple[FileResult, ...]
    peak_memory_bytes: int
    memory_before_bytes: int
    level: Level

    @property
    def raw_bytes(self) -> int:
        """Return the size of all files."""
        return sum(file.raw_bytes for file in self.files)

    @property
    def stored_bytes(self) -> int:
        """Return the size of all archives."""
        return sum(file.stored_bytes for file in self.files)

    @property
    def encode(self) -> Timing:
        """Return the timing of all files together."""
        return _add_timings([file.encode for file in self.files])

    @property
    def decode(self) -> Timing:
        """Return the timing of all files together."""
        return _add_timings([file.decode for file in self.files])

    @property
    def kinds(self) -> tuple[KindResult, ...]:
        """Return the kinds of all files together, largest first."""
        return merge_kinds([kind for file in self.files for kind in file.kinds])

    @property
    def largest(self) -> tuple[TensorResult, ...]:
        """Return the largest tensors of all files, largest first."""
        return pick_largest([tensor for file in self.files for tensor in file.largest])


def merge_kinds(results: Sequence[KindResult]) -> tuple[KindResult, ...]:
    """Return one result a kind, largest first; what has no original bytes comes last."""
    merged: dict[Kind, KindResult] = {}
    for result in results:
        seen = merged.get(result.kind, KindResult(result.kind, 0, 0, 0))
        merged[result.kind] = KindResult(
            result.kind,
            seen.n_tensors + result.n_tensors,
            seen.raw_bytes + result.raw_bytes,
            seen.stored_bytes + result.stored_bytes,
        )
    return tuple(sorted(merged.values(), key=lambda result: (-result.raw_bytes, result.kind)))


def pick_largest(tensors: Sequence[TensorResult]) -> tuple[TensorResult, ...]:
    """Return the N_LARGEST tensors with the most original bytes, largest first."""
    return tuple(heapq.nlargest(N_LARGEST, tensors, key=lambda tensor: tensor.raw_bytes))


def _add_timings(timings: Sequence[Timing]) -> Timing:
    told = [timing.disk_bytes for timing in timings if timing.disk_bytes is not None]
    return Timing(
        sum(timing.raw_bytes for timing in timings),
        sum(timing.seconds for timing in timings),
        min((timing.n_rounds for timing in timings), default=0),
        sum(told) if len(told) == len(timings) else None,
    )
