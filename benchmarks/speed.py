"""Timing: rounds interleaved over all cases and rivals, so that a busy minute hits all of them alike."""

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from benchmarks.case import Case, Facts
from benchmarks.rival import Buffer, Rival, prove_round_trip


@dataclass(frozen=True)
class Rate:
    """Speed over the rounds, in GB (10^9 bytes) of original bytes per second.

    The fastest round is what the machine can do; on a machine with other work, only that can be compared.
    """

    fastest: float
    median: float
    slowest: float


@dataclass(frozen=True)
class SpeedRow:
    """One rival on one case, its round trip proven."""

    facts: Facts
    n_bytes: int
    rival: str
    n_threads: int
    encode: Rate
    decode: Rate


@dataclass
class _Lane:
    """What is timed over and over."""

    case: Case
    rival: Rival
    encoded: Sequence[Buffer]
    encode_seconds: list[float] = field(default_factory=list)
    decode_seconds: list[float] = field(default_factory=list)

    def run_round(self) -> None:
        source = bytearray(self.rival.original(self.case))
        self.encode_seconds.append(_time(partial(self.rival.encode, source, self.case)))
        self.decode_seconds.append(_time(partial(self.rival.decode, self.encoded, self.case)))

    def summarise(self) -> SpeedRow:
        n_bytes = len(self.rival.original(self.case))
        return SpeedRow(
            self.case.facts,
            n_bytes,
            self.rival.name,
            self.rival.n_threads,
            compute_rate(n_bytes, self.encode_seconds),
            compute_rate(n_bytes, self.decode_seconds),
        )


def measure_speeds(cases: Sequence[Case], rivals: Sequence[Rival], n_rounds: int) -> list[SpeedRow]:
    """Return one row per case and rival that accepts it. Each rival runs on as many cores as it has threads.

    Every other round goes backwards: so nobody always comes after the same neighbour.

    Raises:
        SystemExit: a rival did not bring back every byte; no figure is worth printing then.
    """
    cores = os.sched_getaffinity(0)
    lanes = [
        _Lane(case, rival, prove_round_trip(rival, case))
        for case in cases
        for rival in rivals
        if rival.accepts(case)
    ]
    try:
        for number in range(n_rounds):
            for lane in lanes if number % 2 == 0 else reversed(lanes):
                _use_cores(cores, lane.rival.n_threads)
                lane.run_round()
    finally:
        os.sched_setaffinity(0, cores)
    return [lane.summarise() for lane in lanes]


def compute_rate(n_bytes: int, seconds: Sequence[float]) -> Rate:
    """Return the speed of rounds that took `seconds` each for `n_bytes`."""
    return Rate(
        *(n_bytes / 1e9 / value for value in (min(seconds), statistics.median(seconds), max(seconds)))
    )


def _use_cores(cores: set[int], n_threads: int) -> None:
    """Keep this thread, and those that it starts from now on, on as many cores."""
    os.sched_setaffinity(0, sorted(cores)[-n_threads:])


def _time(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    del result  # giving memory back is not timed
    return seconds
