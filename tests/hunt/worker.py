"""A process that tries numbers. What it cannot survive (a crash, a hang, too much memory) ends it, and its parent sees that."""

import ctypes
import resource
import signal
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from hunt.forgeries import Forger
from hunt.judge import find_fault, list_verdicts

Tally = Counter[tuple[str, str, str]]
"""How often: by the kind of damage, the way of decoding and the verdict."""


@dataclass(frozen=True)
class Limits:
    """What one number may take: time of the processor, time on the clock, and memory beyond that at the start."""

    cpu_seconds: float = 10
    wait_seconds: float = 60
    growth_bytes: int = 256 << 20


def run_worker(
    forger: Forger, numbers: Iterable[int], limits: Limits, current: ctypes.c_uint64, results: Connection
) -> None:
    """Try the numbers, with `current` always the one at hand, and send the tally. Raises what try_number raises."""
    _limit_memory(limits)
    for timer in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(timer, signal.SIG_DFL)  # whatever the parent does at them
    tally: Tally = Counter()
    for number in numbers:
        current.value = number
        _set_timers(limits.cpu_seconds, limits.wait_seconds)
        try_number(forger, number, tally)
    _set_timers(0, 0)
    results.send(tally)


def try_number(forger: Forger, number: int, tally: Tally) -> None:
    """Forge the archive of a number, decode it in every way, and count the verdicts.

    Raises:
        AssertionError: see find_fault.
    """
    forgery = forger.forge(Random(number))
    verdicts = list_verdicts(forgery)
    fault = find_fault(forgery, verdicts)
    if fault is not None:
        raise AssertionError(f"{fault}: {forgery.victim.name}, {forgery.kind}, {verdicts}")
    tally.update((forgery.kind, way, verdict) for way, verdict in verdicts.items())


def _limit_memory(limits: Limits) -> None:
    """Let this process grow: more is a MemoryError."""
    n_bytes = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes + limits.growth_bytes, resource.RLIM_INFINITY))


def _set_timers(cpu_seconds: float, wait_seconds: float) -> None:
    """Begin a number's time: either timer ends the process, whatever it is at. 0 stops a timer."""
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    signal.setitimer(signal.ITIMER_REAL, wait_seconds)
