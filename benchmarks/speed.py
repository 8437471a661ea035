"""Timing on one core: rounds interleaved over the rivals, so that a busy minute hits all of them alike."""

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.case import Case
from benchmarks.rival import Buffer, Rival


@dataclass(frozen=True)
class Rate:
    """Speed over the rounds, in GB (10^9 bytes) of original bytes per second."""

    median: float
    slowest: float
    fastest: float


@dataclass(frozen=True)
class Measurement:
    """One rival on one case, its round trip proven."""

    rival: str
    ratio: float
    encode: Rate
    decode: Rate


def pin_to_core(core: int) -> None:
    """Keep this process, and every thread that it starts from now on, on one core."""
    os.sched_setaffinity(0, {core})


def measure(case: Case, rivals: Sequence[Rival], n_rounds: int) -> list[Measurement]:
    """Return one measurement per rival that accepts the case.

    Raises:
        SystemExit: a rival did not bring back every byte; no figure is worth printing then.
    """
    ready = [rival for rival in rivals if rival.accepts(case)]
    encoded = [_prove_round_trip(rival, case) for rival in ready]
    encode_seconds: list[list[float]] = [[] for _ in ready]
    decode_seconds: list[list[float]] = [[] for _ in ready]
    for _ in range(n_rounds):
        for index, rival in enumerate(ready):
            source = bytearray(rival.original(case))
            encode_seconds[index].append(_time(partial(rival.encode, source, case)))
            decode_seconds[index].append(_time(partial(rival.decode, encoded[index], case)))
    return [
        _summarise(rival, case, form, encoding, decoding)
        for rival, form, encoding, decoding in zip(
            ready, encoded, encode_seconds, decode_seconds, strict=True
        )
    ]


def _prove_round_trip(rival: Rival, case: Case) -> Sequence[Buffer]:
    original = rival.original(case)
    encoded = rival.encode(bytearray(original), case)
    if b"".join(rival.decode(encoded, case)) != original:
        raise SystemExit(f"{rival.name} on {case.facts}: the decoded bytes differ")
    return encoded


def _summarise(
    rival: Rival,
    case: Case,
    encoded: Sequence[Buffer],
    encode_seconds: Sequence[float],
    decode_seconds: Sequence[float],
) -> Measurement:
    n_bytes = len(rival.original(case))
    stored_bytes = sum(len(buffer) for buffer in encoded)
    return Measurement(
        rival.name, stored_bytes / n_bytes, _rate(n_bytes, encode_seconds), _rate(n_bytes, decode_seconds)
    )


def _time(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _rate(n_bytes: int, seconds: Sequence[float]) -> Rate:
    rates = [n_bytes / 1e9 / value for value in seconds]
    return Rate(statistics.median(rates), min(rates), max(rates))
