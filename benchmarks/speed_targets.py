"""What speeds are to be, in parts of others' in the same run: a machine's own speed cancels out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.cases.minilm import NAME as MINILM
from benchmarks.cases.training_run import WEIGHTS
from benchmarks.rivals.names import MEMCPY, OURS, OURS_TWO_THREADS, ZIPNN
from benchmarks.speed import Rate, SpeedRow


@dataclass(frozen=True)
class Lane:
    """Which row is meant. Without data, any run's weights against a predecessor."""

    action: str
    dtype: str
    rival: str
    data: str | None = MINILM

    def find(self, rows: Sequence[SpeedRow]) -> Rate | None:
        """Return the speed of the first row that is meant, None if there is none."""
        for row in rows:
            if (row.facts.dtype, row.facts.kind, row.rival) != (self.dtype, WEIGHTS, self.rival):
                continue
            if row.facts.data == self.data or (self.data is None and row.facts.spacing != "alone"):
                return row.encode if self.action == "encode" else row.decode
        return None


@dataclass(frozen=True)
class SpeedTarget:
    """One speed in parts of another."""

    name: str
    lane: Lane
    other: Lane
    at_least: float


@dataclass(frozen=True)
class SpeedComparison:
    """What a target asks for, and what was measured: by the fastest rounds, and by the medians."""

    name: str
    at_least: float
    by_fastest: float
    by_median: float


_DECODE, _ENCODE = Lane("decode", "BF16", OURS), Lane("encode", "BF16", OURS)

SPEED_TARGETS = (
    SpeedTarget("decode bf16 / ZipNN", _DECODE, Lane("decode", "BF16", ZIPNN), 4.5),
    SpeedTarget("decode bf16 / memcpy", _DECODE, Lane("decode", "BF16", MEMCPY), 0.35),
    SpeedTarget("encode bf16 / ZipNN", _ENCODE, Lane("encode", "BF16", ZIPNN), 4),
    SpeedTarget(
        "decode fp32 with predecessor / decode bf16 alone", Lane("decode", "F32", OURS, data=None), _DECODE, 0.6
    ),
    SpeedTarget(
        "decode bf16, two threads / one", Lane("decode", "BF16", OURS_TWO_THREADS), _DECODE, 1.8
    ),
    SpeedTarget(
        "encode bf16, two threads / one", Lane("encode", "BF16", OURS_TWO_THREADS), _ENCODE, 1.8
    ),
)  # fmt: skip


def compare_speeds(rows: Sequence[SpeedRow]) -> Iterator[SpeedComparison]:
    """Yield a comparison for every target whose rows were measured."""
    for target in SPEED_TARGETS:
        ours, other = target.lane.find(rows), target.other.find(rows)
        if ours is not None and other is not None:
            yield SpeedComparison(
                target.name, target.at_least, ours.fastest / other.fastest, ours.median / other.median
            )
