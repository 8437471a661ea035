"""A process that tries numbers. What it cannot survive (a crash, a hang, too much memory) ends it, and its parent sees that."""

import ctypes
import resource
import signal
from collections import Counter
from collections.abc import Iterable
from multiprocessing.connection import Connection
from pathlib import Path

from hunt.forgeries import Forger
from hunt.trial import try_number

MAX_CPU_SECONDS = 10
MAX_WAIT_SECONDS = 60
MAX_GROWTH_BYTES = 256 << 20

Tally = Counter[tuple[str, str, str]]
"""How often: by the kind of damage, the way of decoding and the verdict."""


def run_worker(forger: Forger, numbers: Iterable[int], current: ctypes.c_uint64, results: Connection) -> None:
    """Try the numbers, with `current` always the one at hand, and send the tally. Raises at the first wrong one."""
    _limit_memory()
    tally: Tally = Counter()
    for number in numbers:
        current.value = number
        _limit_time()
        count_trial(forger, number, tally)
    _end_limit()
    results.send(tally)


def count_trial(forger: Forger, number: int, tally: Tally) -> None:
    """Try a number and count its verdicts.

    Raises:
        AssertionError: wrong bytes were taken for right ones.
    """
    trial = try_number(forger, number)
    forgery = trial.forgery
    if trial.is_wrong:
        raise AssertionError(f"{forgery.victim.name}, {forgery.kind}: {trial.verdicts}")
    tally.update((forgery.kind, way, verdict) for way, verdict in trial.verdicts.items())


def _limit_memory() -> None:
    """Let this process grow by MAX_GROWTH_BYTES: more is a MemoryError."""
    n_bytes = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes + MAX_GROWTH_BYTES, resource.RLIM_INFINITY))


def _limit_time() -> None:
    """Begin a trial's time: both timers end the process, whatever it is at."""
    signal.setitimer(signal.ITIMER_PROF, MAX_CPU_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, MAX_WAIT_SECONDS)


def _end_limit() -> None:
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
