"""`python -m hunt`: damage archives at random and decode them; exits with 0 only if nothing but errors by name and right bytes came.

A number is one damaged archive, always the same one: `--first 300000 --count 100000` goes on where another run ended,
and `--first N --count 1` repeats what that number did. Needs `tests` on the path.
"""

import argparse
import multiprocessing
import os
import time
from collections import Counter
from ctypes import c_uint64
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from multiprocessing.sharedctypes import RawValue
from pathlib import Path

from hunt.forgeries import Forger
from hunt.judge import RIGHT
from hunt.trial import forge
from hunt.victims import list_victims
from hunt.worker import Tally, run_worker

_REPORT_SECONDS = 60
_N_REASONS = 25


@dataclass(frozen=True)
class _Job:
    process: ForkProcess
    current: c_uint64
    results: Connection


def main() -> None:
    """Hunt, print what came of it, and keep the archive that something went wrong with."""
    arguments = _parse_arguments()
    begin = time.monotonic()
    forger = Forger(list_victims())
    jobs = [_start(forger, arguments, worker) for worker in range(arguments.jobs)]
    try:
        tally = _collect(forger, jobs, arguments.keep)
    finally:
        for job in jobs:
            job.process.terminate()
    print(_describe(tally, arguments.count, time.monotonic() - begin))


def _collect(forger: Forger, jobs: list[_Job], keep: Path) -> Tally:
    """Wait for all processes and return what they counted together; end at the first that ended otherwise."""
    tally: Tally = Counter()
    pending = list(jobs)
    while pending:
        ready = wait([job.results for job in pending], timeout=_REPORT_SECONDS)
        if not ready:
            print("at", *(job.current.value for job in pending), flush=True)
        for job in [job for job in pending if job.results in ready]:
            pending.remove(job)
            try:
                tally += job.results.recv()
            except EOFError:
                _keep(forger, job, keep)
    return tally


def _start(forger: Forger, arguments: argparse.Namespace, worker: int) -> _Job:
    """Start a process for every jobs-th number. It begins with a copy of the victims."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    current = RawValue(c_uint64, 0)
    numbers = range(arguments.first + worker, arguments.first + arguments.count, arguments.jobs)
    process = context.Process(target=run_worker, args=(forger, numbers, current, sender))
    process.start()
    sender.close()  # so that the end of the process is seen
    return _Job(process, current, receiver)


def _keep(forger: Forger, job: _Job, folder: Path) -> None:
    """Save the archive at which a process ended, with the files that it leans on, and end."""
    job.process.join()
    number = job.current.value
    forgery = forge(forger, number)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number}.wzst"
    path.write_bytes(forgery.archive)
    for place, file in enumerate(forgery.victim.files):
        path.with_suffix(f".base{place}").write_bytes(file.read_at(0, file.size_bytes))
    how = f"exit code {job.process.exitcode} (of negative ones, -14 and -27 mean that it took too long)"
    raise SystemExit(f"number {number} ({forgery.victim.name}, {forgery.kind}): {how}; see {path}")


def _describe(tally: Tally, n_archives: int, seconds: float) -> str:
    lines = [f"{n_archives} damaged archives in {seconds:.0f} s"]
    for kind in sorted({kind for kind, _, _ in tally}):
        parts = []
        for way in sorted({way for _, way, _ in tally}):
            n_all = sum(count for key, count in tally.items() if key[:2] == (kind, way))
            parts.append(f"{way}: {n_all - tally[kind, way, RIGHT]} refused, {tally[kind, way, RIGHT]} right")
        lines.append(f"  {kind:10} {'; '.join(parts)}")
    reasons: Counter[str] = Counter()
    for (_, way, verdict), count in tally.items():
        reasons[verdict] += count if way == "file" else 0
    lines.append(f"the file decoder's {_N_REASONS} most frequent verdicts of {len(reasons)}:")
    lines += [f"  {count:8} {verdict}" for verdict, count in reasons.most_common(_N_REASONS)]
    lines.append("no wrong bytes, no crash, no hang, no foreign exception, no memory beyond its bound")
    return "\n".join(lines)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m hunt", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first number")
    parser.add_argument("--count", type=int, default=1_000_000, help="how many archives to damage")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="how many processes")
    parser.add_argument("--keep", type=Path, default=Path("build/hunt"), help="where to save what goes wrong")
    return parser.parse_args()


if __name__ == "__main__":
    main()
