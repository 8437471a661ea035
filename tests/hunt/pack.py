"""Several workers that share the numbers between them."""

import multiprocessing
from collections import Counter
from collections.abc import Sequence
from ctypes import c_uint64
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from multiprocessing.sharedctypes import RawValue

from hunt.forgeries import Forger
from hunt.worker import Limits, Tally, run_worker

_REPORT_SECONDS = 60
_USUAL_LIMITS = Limits()


class WorkerLost(Exception):
    """A worker ended before its time: with a traceback, or by the signal that the exit code names."""

    def __init__(self, number: int, exit_code: int | None) -> None:
        super().__init__(
            f"number {number} ended its process: exit code {exit_code} (-14 and -27: it took too long)"
        )
        self.number = number
        self.exit_code = exit_code


@dataclass(frozen=True)
class _Worker:
    process: ForkProcess
    current: c_uint64
    results: Connection


def hunt(forger: Forger, numbers: Sequence[int], n_workers: int, limits: Limits = _USUAL_LIMITS) -> Tally:
    """Try the numbers and return what the workers counted together.

    Raises:
        WorkerLost: at the first number that was not survived.
    """
    workers = [_start(forger, numbers[first::n_workers], limits) for first in range(n_workers)]
    try:
        return _collect(workers)
    finally:
        for worker in workers:
            worker.process.terminate()
            worker.process.join()


def _start(forger: Forger, numbers: Sequence[int], limits: Limits) -> _Worker:
    """Start a process, which begins with a copy of the victims."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    current = RawValue(c_uint64, 0)
    process = context.Process(target=run_worker, args=(forger, numbers, limits, current, sender))
    process.start()
    sender.close()  # so that the end of the process is seen
    return _Worker(process, current, receiver)


def _collect(workers: Sequence[_Worker]) -> Tally:
    tally: Tally = Counter()
    pending = list(workers)
    while pending:
        ready = wait([worker.results for worker in pending], timeout=_REPORT_SECONDS)
        if not ready:
            print("at", *(worker.current.value for worker in pending), flush=True)
        for worker in [worker for worker in pending if worker.results in ready]:
            pending.remove(worker)
            try:
                tally += worker.results.recv()
            except EOFError:
                worker.process.join()
                raise WorkerLost(worker.current.value, worker.process.exitcode) from None
    return tally
